"""The names of games and bots, as strings that are resolved when they are used.

Nothing here imports a game or a bot: `envs` knows its opponents only by name.
"""

from __future__ import annotations

import importlib
import inspect
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import gymnasium as gym
import numpy as np

from bidarena.envs.check import unknown
from bidarena.envs.compile import Function
from bidarena.envs.game import Game, Params, Rng, State
from bidarena.envs.policy_paths import EXPECTED, POLICIES, find_policy


class Outside(Protocol):
    """How a bot is asked that needs Python: threads of its own, a memory of earlier moves.

    Like `act` it is handed the whole state, and reads nothing that `player` cannot know.
    """

    def __call__(self, state: State, player: int, rng: Rng) -> int:
        """The action of `player`, who is to move."""

    def forget(self) -> None:
        """Drop whatever is remembered of earlier moves."""


@dataclass(frozen=True, eq=False)
class Bot:
    """A compiled opponent: a plain function `act` (see game.py) and the numbers it reads."""

    name: str
    act: Function = field(repr=False)
    params: Params = field(default_factory=lambda: np.zeros(1), repr=False)
    # `Game.key` of the one game its tables fit; empty: any
    made_for: bytes = field(default=b"", repr=False)
    # what stands behind further stubs
    more: Mapping[str, Function] = field(default_factory=dict, repr=False)
    outside: Outside | None = None  # asked instead of `act`, one game after another
    fair: bool = True  # False: it sees what its player cannot know, for upper bounds only
    deterministic: bool = False  # does it choose without its generator?
    # distribution(cfg, params, state, player, scratch, out) writes how likely `act` takes each
    # action; whoever measures the bot exactly needs it, unless the bot is deterministic
    distribution: Function | None = field(default=None, repr=False)

    @property
    def stubs(self) -> dict[str, Function]:
        """What `Game.compiled` needs to build this bot into code that calls `act`."""
        return {**self.more, "act": self.act}

    def check_fits(self, game: Game) -> None:
        """Refuse a game for which this bot was not made: its tables would be read out of bounds."""
        if self.made_for not in (b"", game.key):
            raise ValueError(f"{self.name} was made for other rules than {game}; make it anew")


@dataclass(frozen=True)
class _Entry:
    factory: str  # "module:function"
    env_id: str


_games: dict[str, _Entry] = {}
_bots: dict[str, str] = {}  # "game/bot", or "*/bot" for all games -> "module:factory"
_modest: dict[str, str | None] = {}  # the same names -> options with which it joins all others
_openers: dict[str, str] = {}  # prefix of a BOT -> "module:function"
_books: dict[str, str] = {}  # "game/book" -> "module:function"
_beliefs: dict[str, str] = {}  # "game/belief" -> "module:factory"


def register_game(
    name: str,
    factory: str,
    env_id: str,
    *,
    entry_point: str | None = None,
    vector_entry_point: str | None = None,
) -> None:
    """Make a game known under `name`, and its environments under the Gymnasium id `env_id`.

    Args:
        name: the short name, as in `bidarena match NAME`.
        factory: "module:function"; the function takes the rules as keywords and returns a `Game`.
        env_id: for example "mine/Nim-v0".
        entry_point: an environment class of your own; the generic one serves otherwise.
        vector_entry_point: likewise for the batched environment.
    """
    _games[name] = _Entry(factory, env_id)
    generic = {} if entry_point else {"game": name}
    gym.register(
        env_id,
        entry_point=entry_point or "bidarena.envs.solo:SoloEnv",
        vector_entry_point=vector_entry_point or "bidarena.envs.vector:BatchedEnv",
        kwargs=generic,
    )


def register_bot(name: str, factory: str, *, modest: str | None = "") -> None:
    """Make a bot known: `name` is "game/bot" ("*/bot" for every game), `factory` "module:function".

    The function takes the `Game`, then the bot's options as keywords, and returns a `Bot` or a
    callable `(observation, mask) -> action`. A bot that thinks long gives `modest` options, such
    as "iterations=100", with which it plays where all bots of a game are invited; None: it is not.
    """
    _bots[name] = factory
    _modest[name] = modest


@dataclass(frozen=True, eq=False)
class Belief:
    """How believable a guess of what is hidden looks to a player, for searches.

    `plausible(cfg, params, state, player)` is a plain function like the rules. Its result, above 0
    and up to 1, is the chance that a guess is kept; otherwise another one is drawn.
    """

    name: str
    plausible: Function
    params: Params = field(default_factory=lambda: np.zeros(1))  # flat float64


def register_belief(name: str, factory: str) -> None:
    """Make a belief known as "game/belief"; `factory` is "module:function".

    The function takes the `Game`, then options as keywords, and returns a `Belief`.
    """
    _beliefs[name] = factory


def beliefs(game: str) -> list[str]:
    """The names of all beliefs about `game`, without the name of the game."""
    return sorted(key.rpartition("/")[2] for key in _beliefs if key.rpartition("/")[0] == game)


def make_belief(game: Game, spec: str) -> Belief:
    """A belief by its name and options."""
    name, _, rest = spec.partition(":")
    path = _beliefs.get(f"{game.name}/{name}")
    if path is None:
        known = beliefs(game.name)
        if not known:
            raise ValueError(f"belief={spec!r}: no belief is registered for {game.name}")
        raise unknown("belief", name, known)
    return _make("belief", game, name, spec, load(path), rest)


def register_book(name: str, function: str) -> None:
    """Make a book known as "game/book"; `function` is "module:function".

    `book(cfg, state, player) -> action` is a plain function like the rules, asked by searches
    before they think: what is not worth searching, such as an auction. -1 leaves it to them.
    """
    _books[name] = function


def load_book(game: Game, name: str) -> Function:
    """A book of this game by its name."""
    path = _books.get(f"{game.name}/{name}")
    if path is None:
        known = [key.rpartition("/")[2] for key in _books if key.startswith(f"{game.name}/")]
        if not known:
            raise ValueError(f"book={name!r}: no book is registered for {game.name}")
        raise unknown("book", name, known)
    return load(path)


def games() -> list[str]:
    """The names of all known games."""
    return list(_games)


def env_id(game: str) -> str:
    """The Gymnasium id of a game."""
    return _entry(game).env_id


def bots(game: str) -> list[str]:
    """The names of all bots that play `game`, without the name of the game."""
    names = [key.rpartition("/") for key in _bots]
    return sorted({bot for owner, _, bot in names if owner in (game, "*")})


def bot_factory(game: str, bot: str) -> Callable[..., Any]:
    """The function that makes a bot of `game` from the `Game` and the options given as keywords."""
    path = _bots.get(f"{game}/{bot}") or _bots.get(f"*/{bot}")
    if path is None:
        raise unknown("opponent", bot, bots(game))
    return load(path)


def factory(game: str) -> Callable[..., Game]:
    """The function that makes a `Game` from the rules given as keywords."""
    return load(_entry(game).factory)


def make_game(game: str | Game, **rules: Any) -> Game:
    """A game by name with its rules as keywords; a ready `Game` is passed through.

    As with Gymnasium's ids, "module:name" imports a module first, which registers the game.
    """
    if isinstance(game, Game):
        if rules:
            raise ValueError(f"{', '.join(rules)}: rules cannot be given beside a ready Game")
        return game
    make = factory(game)
    strange = [name for name in rules if name not in inspect.signature(make).parameters]
    if strange:
        known = inspect.signature(make).parameters
        raise TypeError(
            f"{game} has no rule {strange[0]!r}; its rules are {', '.join(known) or 'fixed'}"
        )
    return make(**rules)


def make_bot(game: Game, spec: str) -> Any:
    """A bot by its name and options, such as "dp" or "uniform:high=30", or from elsewhere.

    The name may also be the path of a policy file (.safetensors) or of a zip that Stable-Baselines3
    saved, the folder of a training run, or something that a registered opener understands, such as
    "http://localhost:8000". A bot of that name comes first.
    """
    name, _, rest = spec.partition(":")
    name = name.removeprefix(f"{game.name}/")
    if name in bots(game.name):
        bot = _make("opponent", game, name, spec, bot_factory(game.name, name), rest)
    elif ":" in spec and name in _openers:
        bot = _open(game, spec, load(_openers[name]), rest)
    elif (found := find_policy(spec)) is not None:
        file, rest = found
        bot = _make("opponent", game, file.name, spec, load(POLICIES[file.suffix]), rest, file)
    elif "/" in name and name.partition("/")[0] not in _games:
        raise ValueError(
            f"opponent={spec!r}: there is no such folder; expected {EXPECTED}, or one of the bots "
            f"{', '.join(map(repr, bots(game.name)))}"
        )
    else:
        raise unknown("opponent", name, bots(game.name))
    return replace(bot, made_for=game.key) if isinstance(bot, Bot) else bot


def register_opener(prefix: str, function: str) -> None:
    """Make another kind of player known, named by `PREFIX:ANYTHING`; `function` "module:function".

    It is called with the `Game` and everything after the first colon, as it is written; with the
    whole address if two slashes follow, as in "http://localhost:8000". It returns a `Bot` or a
    callable `(observation, mask) -> action`.
    """
    if not prefix.isidentifier():
        raise ValueError(f"prefix={prefix!r}: expected a word")
    _openers[prefix] = function


def _open(game: Game, spec: str, opener: Callable[..., Any], rest: str) -> Any:
    try:
        return opener(game, spec if rest.startswith("//") else rest)
    except ValueError as wrong:
        raise ValueError(f"opponent={spec!r}: {wrong}") from wrong


def _make(
    what: str,
    game: Game,
    name: str,
    spec: str,
    make: Callable[..., Any],
    rest: str,
    *given: Any,
) -> Any:
    """Call a factory with what is given and the options that are written after the colon."""
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


def playing(game: Game) -> tuple[dict[str, Any], dict[str, str]]:
    """All fair bots that play `game` under its rules, by name, and why the others do not.

    Bots that think long come with modest options, which are then part of their name, or not at all.
    """
    made, refused = {}, {}
    for name in bots(game.name):
        own = f"{game.name}/{name}"
        modest = _modest[own if own in _bots else f"*/{name}"]
        if modest is None:
            continue
        spec = f"{name}:{modest}" if modest else name
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


def _parse_options(what: str, spec: str, text: str) -> dict[str, Any]:
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


def load(path: str) -> Any:
    """The object behind "module:name"."""
    module, _, name = path.partition(":")
    return getattr(importlib.import_module(module), name)


def _entry(game: str) -> _Entry:
    module, _, name = game.rpartition(":")
    if module:
        try:
            importlib.import_module(module)
        except ModuleNotFoundError as missing:
            if missing.name != module:
                raise
            raise ValueError(f"game={game!r}: there is no module {module!r}") from None
        game = name
    if game not in _games:
        raise unknown("game", game, _games)
    return _games[game]
