"""`bidarena completion`: a script that completes commands, games, bots and options in a shell.

The script holds all words itself, so that completing them does not start Python.
"""

from __future__ import annotations

import dataclasses
import importlib
import inspect
from dataclasses import dataclass
from typing import Any, Literal, get_type_hints

import tyro

from bidarena.cli.options import parse, show_json
from bidarena.envs import bots, games
from bidarena.envs.registry import factory, load

SHELLS = ("bash", "zsh", "fish")
OF_BOTS = ("--vs", "--partner", "--watch", "--hints", "--bot")  # options that name bots
OF_FILES = ("--load", "--write")  # options that name files


@dataclass
class Arguments:
    """Print a script that completes the words of `bidarena` in a shell.

    Write it to where your shell looks for such scripts:

        bash: bidarena completion bash > ~/.local/share/bash-completion/completions/bidarena
        zsh: bidarena completion zsh > a file named _bidarena in a folder of $fpath
        fish: bidarena completion fish > ~/.config/fish/completions/bidarena.fish

    Example: bidarena completion bash
    """

    shell: tyro.conf.Positional[Literal["bash", "zsh", "fish"]]
    """The shell."""

    json: bool = False
    """Print the script inside one JSON object."""


@dataclass(frozen=True)
class Known:
    """What may be typed after a command."""

    first: tuple[str, ...]  # as the first word
    # afterwards, by the first word; "" for any other
    then: dict[str, tuple[str, ...]]


def main(argv: list[str]) -> None:
    """Run the command."""
    args = parse("completion", Arguments, argv)
    script = {"bash": bash, "zsh": zsh, "fish": fish}[args.shell]()
    if args.json:
        show_json({"shell": args.shell, "script": script})
    else:
        print(script, end="")


# --- the words -----------------------------------------------------------------------------------


def known_words() -> dict[str, Known]:
    """Return what may be typed after each command."""
    from bidarena.cli.main import commands

    return {name: _known(importlib.import_module(path)) for name, (path, _) in commands().items()}


def _known(module: Any) -> Known:
    arguments = getattr(module, "Arguments", None)
    options = ("--help", *(_options(arguments) if arguments is not None else ()))
    named = getattr(module, "studies", None)
    if named is not None:
        then = {
            study: ("--help", *_options(get_type_hints(load(path))["settings"]))
            for study, path in named().items()
        }
        return Known((*then, *options), {"": options, **then})
    if hasattr(module, "parse_with_game"):  # a game comes first, and its rules are options
        own: Any = getattr(module, "own_options", lambda game: [])
        then = {
            game: (*options, *_rules(game), *(f"--{name}" for name, *_ in own(game)))
            for game in games()
        }
        return Known((*games(), *options), {"": options, **then})
    fields = dataclasses.fields(arguments) if arguments is not None else ()
    positional = {field.name for field in fields if _is_positional(field)}
    if positional & {"game", "games"}:
        return Known((*games(), *options), {"": (*games(), *options)})
    shells = SHELLS if "shell" in positional else ()
    return Known((*shells, *options), {"": options})


def _is_positional(field: dataclasses.Field[Any]) -> bool:
    return "Positional" in str(field.type)


def _options(arguments: Any) -> list[str]:
    fields = [field for field in dataclasses.fields(arguments) if not _is_positional(field)]
    return [f"--{field.name.replace('_', '-')}" for field in fields]


def _rules(game: str) -> list[str]:
    return [f"--{rule.replace('_', '-')}" for rule in inspect.signature(factory(game)).parameters]


# --- scripts -------------------------------------------------------------------------------------


def _shell_functions() -> str:
    """Return functions for bash and zsh.

    `_bidarena_words NUMBER COMMAND FIRST PREVIOUS` prints the words that may come next.
    """
    known = known_words()
    lines = ["_bidarena_bots() {", '    case "$1" in']
    lines += [f"    {game}) echo {' '.join(bots(game))} ;;" for game in games()]
    lines += ["    esac", "}", ""]
    lines += [
        "_bidarena_words() {",
        f'    if [ "$1" -le 1 ]; then echo {" ".join(known)} --help --version; return; fi',
        '    case "$4" in',
        f'    {"|".join(OF_BOTS)}) _bidarena_bots "$3"; return ;;',
        f"    {'|'.join(OF_FILES)}) return ;;",
        "    esac",
        '    if [ "$1" -eq 2 ]; then',
        '        case "$2" in',
        *(
            f"        {command}) echo {' '.join(words.first)} ;;"
            for command, words in known.items()
        ),
        "        esac",
        "        return",
        "    fi",
        '    case "$2/$3" in',
    ]
    for command, words in known.items():
        for first, then in words.then.items():
            if first:
                lines.append(f"    {command}/{first}) echo {' '.join(then)} ;;")
        lines.append(f"    {command}/*) echo {' '.join(words.then[''])} ;;")
    lines += [
        "    esac",
        f'    case "$2" in {"|".join(_with_bots(known))}) _bidarena_bots "$3" ;; esac',
    ]
    return "\n".join([*lines, "}", ""])


def _with_bots(known: dict[str, Known]) -> list[str]:
    """Return the commands that take bots as words, not as values of options."""
    from bidarena.cli.main import commands

    found = []
    modules = commands()
    for command in known:
        arguments = getattr(importlib.import_module(modules[command][0]), "Arguments", None)
        fields = dataclasses.fields(arguments) if arguments is not None else ()
        if any(_is_positional(field) and field.name in ("bots", "player") for field in fields):
            found.append(command)
    return found


def bash() -> str:
    """Return the script for bash."""
    return f"""# bash completion for bidarena, made by `bidarena completion bash`
{_shell_functions()}
_bidarena() {{
    local words cur="${{COMP_WORDS[COMP_CWORD]}}" previous="${{COMP_WORDS[COMP_CWORD-1]}}"
    words="$(_bidarena_words "$COMP_CWORD" "${{COMP_WORDS[1]}}" "${{COMP_WORDS[2]}}" "$previous")"
    COMPREPLY=($(compgen -W "$words" -- "$cur"))
}}
complete -o default -F _bidarena bidarena
"""


def zsh() -> str:
    """Return the script for zsh."""
    return f"""#compdef bidarena
# zsh completion for bidarena, made by `bidarena completion zsh`
{_shell_functions()}
_bidarena() {{
    local -a found
    found=(${{=$(_bidarena_words $((CURRENT - 1)) "$words[2]" "$words[3]" "$words[CURRENT-1]")}})
    if (( $#found )); then compadd -a found; else _files; fi
}}
if [ "$funcstack[1]" = _bidarena ]; then _bidarena "$@"; else compdef _bidarena bidarena; fi
"""


def fish() -> str:
    """Return the script for fish."""
    known = known_words()
    lines = [
        "# fish completion for bidarena, made by `bidarena completion fish`",
        "function __bidarena_bots",
        "    switch $argv[1]",
    ]
    for game in games():
        lines += [f"        case {game}", f"            printf '%s\\n' {' '.join(bots(game))}"]
    lines += [
        "    end",
        "end",
        "",
        "function __bidarena_words",
        "    set -l words (commandline -opc)",
        "    if test (count $words) -le 1",
        f"        printf '%s\\n' {' '.join(known)} --help --version",
        "        return",
        "    end",
        "    switch $words[-1]",
        f"        case {' '.join(OF_BOTS)}",
        "            test (count $words) -ge 3; and __bidarena_bots $words[3]",
        "            return",
        f"        case {' '.join(OF_FILES)}",
        "            __fish_complete_path (commandline -ct)",
        "            return",
        "    end",
        "    if test (count $words) -eq 2",
        "        switch $words[2]",
    ]
    for command, words in known.items():
        lines += [
            f"            case {command}",
            f"                printf '%s\\n' {' '.join(words.first)}",
        ]
    lines += ["        end", "        return", "    end", '    switch "$words[2]/$words[3]"']
    for command, words in known.items():
        for first, then in sorted(words.then.items(), reverse=True):  # "" last: it is any other
            pattern = f"{command}/{first}" if first else f"'{command}/*'"
            lines += [f"        case {pattern}", f"            printf '%s\\n' {' '.join(then)}"]
    lines += [
        "    end",
        f"    if contains -- $words[2] {' '.join(_with_bots(known))}",
        "        __bidarena_bots $words[3]",
        "    end",
        "end",
        "",
        "complete -c bidarena -f -a '(__bidarena_words)'",
    ]
    return "\n".join([*lines, ""])
