"""Register bots by name, and make them.

A bot's name, with its options, is written in one of three ways:

    ismcts:iterations=500           a registered bot
    cmd:./my_bot --fast             an opener: a prefix for bots that come from elsewhere
    runs/mine:deterministic=true    the path of a policy file or of the folder of a training run

Registering keeps strings only; `make_bot` imports what it needs.
"""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np

from bidarena.envs.arguments import unknown
from bidarena.envs.compile import Function
from bidarena.envs.game import Game, Params, Rng, State
from bidarena.envs.registry.game_names import games, load
from bidarena.envs.registry.paths import EXPECTED, POLICIES, find_policy
from bidarena.envs.registry.trust import check_name


class Outside(Protocol):
    """A bot that is called from Python, outside of the compiled loops.

    For bots that need more than compiled code can do: threads, a memory of earlier moves, another
    process. Like `act` it receives the whole state, and must not use what `player` cannot know.
    """

    def __call__(self, state: State, player: int, rng: Rng) -> int:
        """Return the action of `player`, who is to move; draw random numbers from `rng`."""

    def forget(self) -> None:
        """Forget everything about earlier moves."""


SEARCH = "search"  # `Bot.kind` of the search family, whose `params` begin with its layout
PROGRAM = "program"  # `Bot.kind` of bots that are asked in a process of their own


@dataclass(frozen=True, eq=False)
class Bot:
    """A bot: a plain function `act`, which is compiled, and the numbers that it reads.

    Args:
        name: the name of the bot.
        act: a plain function like the stub `act` in game.py.
        params: the options and tables of the bot, passed to `act`; mostly flat float64.
        made_for: `Game.key` of the only game that the tables fit; empty: they fit any game.
        more: functions for further stubs that `act` uses, by the name of the stub.
        outside: asked instead of `act`, for one game at a time.
        fair: False if the bot uses what its player cannot know. Such a bot is an upper bound, and
            is not invited to tournaments.
        deterministic: whether the bot chooses without drawing random numbers.
        distribution: a plain function `(cfg, params, state, player, scratch, out)` that writes the
            probability of each action into `out`. Exact measures of a bot need it, unless the bot
            is deterministic.
        distributions: `(game, states, seat)` returns the same for many states at once, where that
            is faster than to call `distribution` for each.
        kind: the family of the bot, for code that treats one family differently: SEARCH, PROGRAM,
            or any word that a game's own bots agree on; empty: none.
        foresight: how many ticks of the game's clock the bot can foresee: its choices are the same
            at all times at which more ticks are left until the limit. 0: it never chooses by the
            time, such as a bot that reads only observations and legal actions. None: not known.
            `bidarena.envs.testing.check_bot` tests this.
    """

    name: str
    act: Function = field(repr=False)
    params: Params = field(default_factory=lambda: np.zeros(1), repr=False)
    made_for: bytes = field(default=b"", repr=False)
    more: Mapping[str, Function] = field(default_factory=dict, repr=False)
    outside: Outside | None = None
    fair: bool = True
    deterministic: bool = False
    distribution: Function | None = field(default=None, repr=False)
    distributions: Callable[..., Any] | None = field(default=None, repr=False)
    kind: str = ""
    foresight: int | None = None

    @property
    def stubs(self) -> dict[str, Function]:
        """Return the functions, by stub, with which `Game.compiled` builds this bot into code."""
        return {**self.more, "act": self.act}

    def check_fits(self, game: Game) -> None:
        """Raise ValueError unless this bot was made for `game`, whose tables it may need."""
        if self.made_for not in (b"", game.key):
            raise ValueError(f"{self.name} was made for other rules than {game}; make it anew")


_bots: dict[str, str] = {}  # "game/bot" or "*/bot" -> "module:function" of its factory
_tournament_options: dict[str, str | None] = {}  # "game/bot" or "*/bot" -> see `register_bot`
_openers: dict[str, str] = {}  # prefix -> "module:function"


def register_bot(name: str, factory: str, *, tournament_options: str | None = "") -> None:
    """Register a bot.

    Args:
        name: "game/bot", or "*/bot" for a bot that plays every game.
        factory: "module:function" of the function that takes the `Game`, then the bot's options as
            keywords, and returns a `Bot` or a callable `(observation, mask) -> action`.
        tournament_options: the options with which the bot plays where all bots of a game are
            invited. A slow bot gives faster ones, such as "iterations=100". None: not invited.
    """
    _bots[name] = factory
    _tournament_options[name] = tournament_options


def bots(game: str) -> list[str]:
    """Return the names of all bots registered for `game`, without the name of the game."""
    names = [key.rpartition("/") for key in _bots]
    return sorted({bot for owner, _, bot in names if owner in (game, "*")})


def bot_factory(game: str, bot: str) -> Callable[..., Any]:
    """Return the function that makes a bot from the `Game` and the bot's options as keywords."""
    path = _bots.get(f"{game}/{bot}") or _bots.get(f"*/{bot}")
    if path is None:
        raise unknown("opponent", bot, bots(game))
    return load(path)


def make_bot(game: Game, spec: str) -> Any:
    """Make a bot from its name and options; return a `Bot` or a callable.

    Args:
        game: the game that it will play.
        spec: the first of these that fits: a registered bot, such as "dp" or "uniform:high=30"; an
            opener's prefix and what follows, such as "http://localhost:8000"; the path of a policy
            file (.safetensors), of a zip of Stable-Baselines3, or of the folder of a training run.

    Raises:
        ValueError: there is no such bot, or it does not play under these rules.
    """
    name, _, rest = spec.partition(":")
    name = name.removeprefix(f"{game.name}/")
    if name in bots(game.name):
        bot = make_from_spec("opponent", game, name, spec, bot_factory(game.name, name), rest)
    elif ":" in spec and name in _openers:
        check_name("opponent", spec, "starts a program or calls an address")
        bot = _open(game, spec, load(_openers[name]), rest)
    elif (found := find_policy(spec)) is not None:
        file, rest = found
        bot = make_from_spec(
            "opponent", game, file.name, spec, load(POLICIES[file.suffix]), rest, file
        )
    elif "/" in name and name.partition("/")[0] not in games():
        raise ValueError(
            f"opponent={spec!r}: there is no such folder; expected {EXPECTED}, or one of the bots "
            f"{', '.join(map(repr, bots(game.name)))}"
        )
    else:
        raise unknown("opponent", name, bots(game.name))
    return replace(bot, made_for=game.key) if isinstance(bot, Bot) else bot


def register_opener(prefix: str, function: str) -> None:
    """Register an opener: a function that makes a bot from any name "PREFIX:REST".

    Args:
        prefix: a word, such as "cmd".
        function: "module:function" of a function `(game, rest)` that returns a `Bot` or a callable
            `(observation, mask) -> action`. `rest` is everything after the first colon; or the
            whole name if two slashes follow the colon, as in "http://localhost:8000".
    """
    if not prefix.isidentifier():
        raise ValueError(f"prefix={prefix!r}: expected a word")
    _openers[prefix] = function


def starts_something(spec: str) -> bool:
    """Return whether a bot's name, or a name within its options, has the prefix of an opener."""
    return any(re.search(rf"(?:^|[=,;:\s]){prefix}:", spec) for prefix in _openers)


def has_opener(spec: str) -> bool:
    """Return whether a bot's name begins with the prefix of an opener."""
    prefix, colon, _ = spec.partition(":")
    return bool(colon) and prefix in _openers


def _open(game: Game, spec: str, opener: Callable[..., Any], rest: str) -> Any:
    """Call an opener; its ValueErrors are raised again with the bot's name in front."""
    try:
        return opener(game, spec if rest.startswith("//") else rest)
    except ValueError as wrong:
        raise ValueError(f"opponent={spec!r}: {wrong}") from wrong


def invited(game: str) -> list[str]:
    """Return the bots invited to tournaments of a game, with their `tournament_options`."""
    specs = []
    for name in bots(game):
        own = f"{game}/{name}"
        options = _tournament_options[own if own in _bots else f"*/{name}"]
        if options is not None:
            specs.append(f"{name}:{options}" if options else name)
    return specs


def playing(game: Game) -> tuple[dict[str, Any], dict[str, str]]:
    """Make all bots that are invited to a tournament of `game` and can play under its rules.

    Returns:
        the bots by their names, which include their `tournament_options`; and, by name, the reason
        why a bot that is registered for the game cannot take part. Bots that are not invited are in
        neither.
    """
    made, refused = {}, {}
    for spec in invited(game.name):
        name = spec.partition(":")[0]
        try:
            bot = make_bot(game, spec)
        except ValueError as wrong:
            refused[name] = str(wrong)
            continue
        if getattr(bot, "fair", True):
            made[spec] = bot
        else:
            refused[name] = f"{name} sees what its player cannot know; it plays only when named"
    return made, refused


def make_from_spec(
    what: str,
    game: Game,
    name: str,
    spec: str,
    make: Callable[..., Any],
    rest: str,
    *given: Any,
) -> Any:
    """Call a factory with the game, `given` and the options in `rest`; return what it makes.

    Args:
        what: what is being made, for errors: "opponent" or "belief".
        game: passed to the factory first.
        name: the name without options, for errors.
        spec: the name with options as the user wrote it, for errors.
        make: the factory.
        rest: the options as text, such as "high=30,low=1".
        *given: further arguments of the factory, before its options.

    Raises:
        ValueError: the factory has no such option, or refuses a value.
    """
    options = _parse_options(what, spec, rest)
    known = list(inspect.signature(make).parameters)[1 + len(given) :]
    for option in options:
        if option not in known:
            allowed = f"its options are {', '.join(known)}" if known else "it has no options"
            raise ValueError(f"{what}={spec!r}: {name} has no option {option!r}; {allowed}")
    try:
        return make(game, *given, **options)
    except ValueError as wrong:
        raise ValueError(f"{what}={spec!r}: {wrong}") from wrong


def _parse_options(what: str, spec: str, text: str) -> dict[str, Any]:
    """Return the options in "name=value,name=value"; a value that is not JSON is a string."""
    options: dict[str, Any] = {}
    for part in filter(None, text.split(",")):
        key, equals, value = part.partition("=")
        if not equals or not key.strip().isidentifier():
            raise ValueError(f"{what}={spec!r}: write options as name:option=value,option=value")
        try:
            options[key.strip()] = json.loads(value)
        except ValueError:
            options[key.strip()] = value.strip()
    return options
