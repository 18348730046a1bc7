"""What can be played: games with their rules as a form, and who can be played against.

A browser names a bot by an id of `Catalogue.opponents`. It never sends a path, a command or an
address: policies are those found in the folders named at start, and bots from outside are those
named at start.
"""

from __future__ import annotations

import hashlib
import inspect
import json
import math
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bidarena.arena.settings import COSTLY, OTHERWISE, Settings
from bidarena.envs.arguments import unknown
from bidarena.envs.game import Game
from bidarena.envs.registry import (
    bot_factory,
    bots,
    env_id,
    factory,
    games,
    make_game,
    tools_of,
)
from bidarena.envs.registry.meanings import own_environment, read_rule, rule_meanings
from bidarena.envs.registry.paths import RUN_FILES

USUAL = "ismcts"  # the opponent in games that have registered none
DEPTH = 3  # folders below those named at start in which policies are looked for
MOST_POLICIES = 500


def title(game: str) -> str:
    """Return how a game is called: its environment's name without the version."""
    return env_id(game).rpartition("/")[2].partition("-")[0]


class Catalogue:
    """All that a browser can choose from."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    # --- games ---

    def overview(self) -> list[dict[str, Any]]:
        """Return all games, in short."""
        return [
            {
                "game": name,
                "title": title(name),
                "about": _first_line(own_environment(name) or factory(name)),
            }
            for name in games()
        ]

    def form(self, name: str) -> dict[str, Any]:
        """Return all that the form for a new game shows."""
        game, meanings = make_game(known(name)), rule_meanings(name)
        return {
            "game": name,
            "title": title(name),
            "about": _first_line(own_environment(name) or factory(name)),
            "players": game.players,
            "teams": list(game.teams),
            "board": board_of(name),
            "usual": (tools_of(name).opponent or USUAL).partition(":")[0],
            "rules": [
                _field(rule, parameter.default, meanings.get(rule, ""))
                for rule, parameter in inspect.signature(factory(name)).parameters.items()
            ],
            "opponents": self.opponents(name),
        }

    def make(self, name: str, rules: Any) -> Game:
        """Make a game from what was filled in: texts by the name of the rule.

        Raises:
            ValueError: a rule is not known, not allowed, or makes the game too large.
        """
        if not isinstance(rules, dict):
            raise ValueError("rules: expected texts by the name of the rule")
        limits, given = self._settings.limits, {}
        for rule, text in rules.items():
            if not isinstance(text, str) or len(text) > limits.rule:
                raise ValueError(f"{rule}: expected a text of at most {limits.rule} characters")
            given[rule] = read_rule(text)
        return self.checked(name, given)

    def checked(self, name: str, rules: Mapping[str, Any]) -> Game:
        """Make a game; raise ValueError if it is unknown or too large to be played here."""
        limits = self._settings.limits
        try:
            game = make_game(known(name), **rules)
        except (TypeError, OverflowError, MemoryError) as wrong:
            raise ValueError(str(wrong)) from None
        if game.actions > limits.actions or game.longest > limits.moves * game.players:
            raise ValueError(
                f"rules: this game has {game.actions:,} actions and up to {game.longest:,} moves; "
                f"here at most {limits.actions:,} and {limits.moves * game.players:,} are played"
            )
        return game

    # --- bots ---

    def opponents(self, name: str) -> list[dict[str, Any]]:
        """Return who can be played against: bots, policies found, bots named at start."""
        found = [
            {"id": bot, "label": bot, "kind": "bot", "options": _options(name, bot)}
            for bot in bots(name)
            if "of" not in inspect.signature(bot_factory(name, bot)).parameters
        ]
        found += [
            {"id": _policy_id(path), "label": label, "kind": "policy", "options": []}
            for label, path, game in self.policies()
            if game == name
        ]
        found += [
            {"id": f"named:{number}", "label": spec, "kind": "named", "options": []}
            for number, spec in enumerate(self._settings.bots)
        ]
        return found

    def policies(self) -> list[tuple[str, Path, str]]:
        """Return label, path and game of every policy in the folders named at start."""
        found: list[tuple[str, Path, str]] = []
        for root in self._settings.runs:
            for path in _policy_files(root):
                game = _game_of(path)
                if game in games():
                    found.append((str(path.relative_to(root)), path, game))
                if len(found) >= MOST_POLICIES:
                    return found
        return found

    def spec(self, game: Game, choice: Any) -> tuple[str, str]:
        """Return the name of a bot as `make_bot` reads it, and its label.

        Args:
            game: the game that it will play.
            choice: the `id` of an opponent, and `options` by name.

        Raises:
            ValueError: there is no such opponent, or an option is not allowed.
        """
        if not isinstance(choice, dict) or not isinstance(choice.get("id"), str):
            raise ValueError(f"opponent={choice!r}: expected the id of an opponent")
        key, options = choice["id"], choice.get("options") or {}
        if key in bots(game.name):
            return _bounded(game, key, options, self._settings.limits.think)
        if options:
            raise ValueError(f"opponent={key!r}: it has no options here")
        if key.startswith("policy:"):
            for label, path, name in self.policies():
                if _policy_id(path) == key and name == game.name:
                    return str(path), label
        number = key.removeprefix("named:")
        if number.isdigit() and number.isascii() and int(number[:6]) < len(self._settings.bots):
            spec = self._settings.bots[int(number[:6])]
            return spec, spec
        raise unknown("opponent", key[:80], [entry["id"] for entry in self.opponents(game.name)])

    def allowed(self, game: Game, spec: str) -> bool:
        """Return whether a bot named elsewhere, with its options, may be made here."""
        if spec in self._settings.bots:
            return True
        name, _, rest = spec.partition(":")
        if name in bots(game.name):
            return "=" not in rest or all(
                _harmless(part.partition("=")[2]) for part in rest.split(",")
            )
        path = Path(spec)
        return any(path.resolve() == found.resolve() for _, found, _ in self.policies())

    def lies_in(self, key: str, folder: Path) -> bool:
        """Return whether a policy lies in a folder."""
        return any(
            _policy_id(path) == key and path.parent == folder for _, path, _ in self.policies()
        )


def known(name: Any) -> str:
    """Return the name of a registered game; raise ValueError for all else, modules included."""
    if not isinstance(name, str) or name not in games():
        raise unknown("game", str(name)[:80], games())
    return name


def board_of(name: str) -> str:
    """Return the name of the module that draws a game."""
    return tools_of(name).board or "generic"


def _first_line(thing: Any) -> str:
    return (inspect.getdoc(thing) or "").partition("\n")[0]


def _field(rule: str, default: Any, meaning: str) -> dict[str, Any]:
    """Return a field of the form: its kind, its default as text, and words to choose from."""
    kind = "text"
    if isinstance(default, bool):
        kind = "flag"
    elif isinstance(default, int):
        kind = "number"
    choices = list(dict.fromkeys(re.findall(r'"([\w*/.]+)"', meaning)))
    if isinstance(default, str):
        choices = list(dict.fromkeys([default, *choices]))
    text = default if isinstance(default, str) else json.dumps(default)
    return {
        "rule": rule,
        "kind": kind,
        "default": "" if default is None else text,
        "choices": choices,
        "meaning": meaning.replace('"', ""),
    }


def _options(name: str, bot: str) -> list[dict[str, Any]]:
    """Return the options of a bot that a browser may set: numbers and flags."""
    found = []
    for option, parameter in inspect.signature(bot_factory(name, bot)).parameters.items():
        if option == "game" or not _settable(option, parameter):
            continue
        found.append({"name": option, "default": parameter.default, "most": COSTLY.get(option)})
    return found


def _settable(option: str, parameter: inspect.Parameter) -> bool:
    default = parameter.default
    return option in COSTLY or (isinstance(default, bool | int | float) and option != "seed")


def _bounded(game: Game, bot: str, options: Any, think: float) -> tuple[str, str]:
    """Return the name of a registered bot with options that are not too costly, and its label."""
    parameters = inspect.signature(bot_factory(game.name, bot)).parameters
    if not isinstance(options, dict):
        raise ValueError("options: expected values by name")
    given: dict[str, Any] = {}
    for option, value in options.items():
        if option not in parameters or not _settable(option, parameters[option]):
            allowed = ", ".join(entry["name"] for entry in _options(game.name, bot)) or "none"
            raise ValueError(f"{bot}: {option[:40]!r} cannot be set here; options: {allowed}")
        most = COSTLY.get(option, OTHERWISE)
        number = isinstance(value, bool | int | float) and math.isfinite(value)
        if not number or abs(value) > most:
            raise ValueError(f"{bot}: {option}={value!r}: expected a number up to {most:,}")
        given[option] = value
    label = _spec(bot, given)
    if "iterations" in given and "ms" in parameters and "ms" not in given:
        given["ms"] = int(1000 * think)
    return _spec(bot, given), label


def _harmless(value: str) -> bool:
    """Return whether the text of an option is a small number or a flag."""
    return re.fullmatch(r"true|false|\d{1,6}(\.\d{1,6})?", value) is not None


def _spec(bot: str, options: dict[str, Any]) -> str:
    told = ",".join(f"{name}={json.dumps(value)}" for name, value in options.items())
    return f"{bot}:{told}" if told else bot


# --- policies in folders -------------------------------------------------------------------------


def _policy_files(root: Path) -> list[Path]:
    """Return the policy files below a folder, those of runs included."""
    patterns = ["/".join(["*"] * depth + ["*.safetensors"]) for depth in range(DEPTH + 1)]
    return [path for pattern in patterns for path in sorted(root.glob(pattern)) if path.is_file()]


def _game_of(path: Path) -> str:
    """Return the game that a policy plays; "" if the file does not tell."""
    config = path.parent / "config.json"
    try:
        if path.name in RUN_FILES and config.is_file():
            return str(json.loads(config.read_text())["task"]["game"]).rpartition(":")[2]
        with path.open("rb") as file:  # the header of the format: its length, then JSON
            length = int.from_bytes(file.read(8), "little")
            told = json.loads(file.read(min(length, 1 << 20)))
        return str(json.loads(told["__metadata__"]["bidarena"])["game"])
    except (OSError, ValueError, KeyError, TypeError):
        return ""


def _policy_id(path: Path) -> str:
    return f"policy:{hashlib.sha256(str(path).encode()).hexdigest()[:16]}"
