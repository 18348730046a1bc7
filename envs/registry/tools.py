"""Register the tools of a game: what it has besides rules and bots, such as an exact solver.

A tool is a function that does for one game what generic code cannot do, or can only do slower. The
game's own package registers it by name:

    register_tools("mygame", solve="my_module:solve", opponent="perfect")

Generic code asks for it by `find_tool(game.name, "solve")`. If the game has no such tool, generic
code does the work itself, or says that it cannot. Nothing is imported before it is used.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

from bidarena.envs.arguments import unknown
from bidarena.envs.registry.game_names import load


@dataclass(frozen=True)
class Progress:
    """A number that shows how far a game has come.

    A bot in another process is asked about many games in turn. When the number is smaller than at
    the bot's last move in a game, that game is over and a new one has begun. A game that registers
    no progress is counted by the part `round` of its state, if it has one.

    Args:
        count: the name of a part of the state that holds one number, or "module:function" of a
            function `(game, state) -> int`. The number never falls during a game.
        strict: whether the number grows between any two decisions of a player.
    """

    count: str
    strict: bool = True


@dataclass(frozen=True)
class Bench:
    """What `bidarena bench` measures of one game besides the speeds that every game has.

    Args:
        openspiel: the name of the most similar game of OpenSpiel, whose speed is shown beside ours.
        solve: "module:function" of a function `(game) -> object with .seconds` that solves the
            game anew, without reading a solution from the disk.
        solve_rules: the options of the rules under which `solve` is measured.
        search_rules: the options of the rules under which searches are measured.
        search_below: searches are measured at the first decision with a legal action below this
            number, such as the first card after an auction; None: at the first decision.
        learners: whether the time of every learner is taken apart on this game.
        figures: "module:function" of a function `(seconds) -> dict` with further figures, by name.
            `seconds` is the time that it may take.
    """

    openspiel: str = ""
    solve: str = ""
    solve_rules: Mapping[str, Any] = field(default_factory=dict)
    search_rules: Mapping[str, Any] = field(default_factory=dict)
    search_below: int | None = None
    learners: bool = False
    figures: str = ""


@dataclass(frozen=True)
class Tools:
    """The tools of one game, all optional. A function is given as "module:function".

    Args:
        opponent: the bot, with options, that `bidarena play` uses if the user names none.
        strongest: the strongest bot, with options, that neither searches nor plays by an exact
            solution, as far as was measured under the default rules; shown by `bidarena list`.
        strongest_search: the same of the bots that search or play by an exact solution.
        solve: `(game, memory, begin) -> dict`: solves the game for `bidarena solve`, which shows
            the dict. `memory` is the number of bytes that the solver may use. `begin(total, what)`
            shows a progress bar and returns the function that advances it. The dict must fit JSON;
            its first key is `value`.
        positions: `(game) -> PositionIndex` (bidarena.baselines.solvers.positions): numbers all
            positions of the game, for exact best responses. `bidarena exploit`, the exact measure
            while training, and the bot `best_response` need it.
        hint: `(game, state, patient) -> Hint | None` (bidarena.baselines.solvers.advice): the exact
            value of every move. It may return None if that takes long and `patient` is False.
        exploit: `(game, player, *, samples, games, seed, ray, progress) -> object with .as_dict()`:
            measures a player for `bidarena exploit`, instead of a best response by `positions`.
        exploit_note: a sentence that says what `exploit` measures and how it uses `samples` and
            `games`; shown by `bidarena exploit --help`.
        measure: `(game, player, seed) -> Truth | None` (bidarena.evaluate.appraisal.strength):
            measures a player exactly while training, instead of a best response by `positions`.
        parts: `(game) -> Parts | None` (bidarena.envs.structure.parts): how positions fall into
            parts that do not affect each other, for networks that judge them part by part.
        serve: `(game, bot, *, seed, ...) -> None`: lets one of our bots play in other people's
            programs for this game. Further keywords become options of `bidarena serve`.
        program: `(game, command, limits) -> Bot`: makes the bot that `cmd:COMMAND` names.
        python_file: `(game, path, limits) -> Bot`: makes the bot that `file:PATH` names.
        view: `(game, state, seat) -> dict`: what `seat` may know of the state, for a drawing in a
            browser; None as `seat` stands for a spectator, who sees everything. The dict must fit
            JSON and begins with `view_frame` (bidarena.envs.drawing).
        board: the name of the JavaScript module that draws the view, such as "line". Empty:
            "generic", which shows the text drawing and lists the moves in words.
        exchange: `(game) -> Exchange` (bidarena.envs.structure.exchange): parts of the game that
            can be exchanged, such as suits, for learners that share what they learn between them.
        open_values: `(cfg, states, rows, movers, values, known) -> None`: a plain function like the
            rules that writes what each action is worth if all players saw everything, for learners
            that may look into all hands while they learn; see `play` in
            bidarena.train.selfplay.games.
        progress: how to see how far a game has come, for bots in other processes.
        bench: what the benchmark measures of this game only.
        commands: further commands of `bidarena`: name -> (module with `main`, one line of help).
    """

    opponent: str = ""
    strongest: str = ""
    strongest_search: str = ""
    solve: str = ""
    positions: str = ""
    hint: str = ""
    exploit: str = ""
    exploit_note: str = ""
    measure: str = ""
    parts: str = ""
    serve: str = ""
    program: str = ""
    python_file: str = ""
    view: str = ""
    board: str = ""
    exchange: str = ""
    open_values: str = ""
    progress: Progress | None = None
    bench: Bench = field(default_factory=Bench)
    commands: Mapping[str, tuple[str, str]] = field(default_factory=dict)


_NAMES = tuple(entry.name for entry in fields(Tools))
_tools: dict[str, Tools] = {}


def register_tools(game: str, **tools: Any) -> None:
    """Register tools of a game; other tools that it registered before are kept.

    Args:
        game: the name of the game.
        **tools: fields of `Tools`.

    Raises:
        ValueError: there is no such field.
    """
    for name in tools:
        if name not in _NAMES:
            raise unknown("tool", name, _NAMES)
    _tools[game] = replace(tools_of(game), **tools)


def tools_of(game: str) -> Tools:
    """Return the tools of a game; all fields are empty if it has registered none.

    As elsewhere, "module:name" may stand for the name; the module is not imported here.
    """
    return _tools.get(game.rpartition(":")[2], Tools())


def find_tool(game: str, name: str) -> Any:
    """Import a tool that is a function and return it; None if the game has not registered it.

    Args:
        game: the name of the game.
        name: a field of `Tools`, such as "solve".
    """
    path = getattr(tools_of(game), name)
    return load(path) if path else None


def games_with(name: str) -> list[str]:
    """Return the names of all games that have registered this tool."""
    return [game for game, tools in _tools.items() if getattr(tools, name)]


def extra_commands() -> dict[str, tuple[str, str]]:
    """Return the commands that games have registered: name -> (module, one line of help)."""
    return {name: command for tools in _tools.values() for name, command in tools.commands.items()}
