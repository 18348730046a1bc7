"""What a game is: seven functions over a flat state, and a record of facts about them.

The functions are written in a game's `rules.py` under exactly the names below. The stubs here only
declare them: generic code imports the stubs, and `Game.compiled` makes a copy of that code in which
they stand for the rules of one game (see `compile.py`).

How to add a game of your own without touching this package: `docs/adding_a_game.md`.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bidarena.envs.compile import Function, compiled, rule

Cfg = NDArray[np.int64]  # the rules in force: options as numbers, the same for all rows
State = NDArray[np.int64]  # one game, flat
Rng = NDArray[np.uint64]  # the words of one generator (rng.py)
Mask = NDArray[np.int8]  # (actions,) 1 where allowed
Observation = NDArray[np.float32]  # (observation_size,)
Returns = NDArray[np.float64]  # (players,)
Params = NDArray[Any]  # options and tables of a compiled bot, mostly flat float64

OVER = -1  # to_move: the game has come to its end
CUT_SHORT = -2  # to_move: a limit on the length of the game was reached


@rule
def reset(cfg: Cfg, state: State, rng: Rng) -> None:
    """Deal a new game into `state`."""
    raise NotImplementedError


@rule
def to_move(cfg: Cfg, state: State) -> int:
    """The player to move, `OVER` or `CUT_SHORT`.

    Simultaneous moves are committed one player after another and stay hidden until all are in.
    """
    raise NotImplementedError


@rule
def legal(cfg: Cfg, state: State, mask: Mask) -> None:
    """Write 1 or 0 for every action: may the player to move take it?"""
    raise NotImplementedError


@rule
def step(cfg: Cfg, state: State, action: int, rng: Rng) -> None:
    """Apply a legal action of the player to move, and the chance that follows it."""
    raise NotImplementedError


@rule
def returns(cfg: Cfg, state: State, out: Returns) -> None:
    """Write the result of every player; read only when the game is over or cut short."""
    raise NotImplementedError


@rule
def observe(cfg: Cfg, state: State, player: int, out: Observation) -> None:
    """Write what `player` may know, seen from his own side."""
    raise NotImplementedError


@rule
def determinize(cfg: Cfg, state: State, player: int, rng: Rng) -> None:
    """Replace, in place, everything `player` cannot know by a random consistent guess."""
    raise NotImplementedError


@rule
def signature(cfg: Cfg, state: State, player: int) -> int:
    """Optional: a number for what `player` has just seen happen, for searches to tell apart.

    Of two states that follow on positions which he could not tell apart, it is the same if he
    cannot tell these apart either, and differs if he can. What he knew before need not be in it.
    """
    raise NotImplementedError


@rule
def withdraw(cfg: Cfg, state: State) -> None:
    """Optional: take back, in place, all moves that wait for others made at the same time.

    What is left is the same whatever they were, and the first player of the moment is to move.
    """
    raise NotImplementedError


@rule
def act(cfg: Cfg, params: Params, state: State, player: int, rng: Rng, scratch: Mask) -> int:
    """A compiled bot's choice for `player`, who is to move.

    `scratch` is room for a mask that the bot may fill with `legal`. The bot reads nothing of the
    state that `player` cannot know; `bidarena.envs.testing.check_bot` proves it.
    """
    raise NotImplementedError


RULES = ("reset", "to_move", "legal", "step", "returns", "observe", "determinize")
OPTIONAL = ("signature", "withdraw")  # what searches use if a game has it


def rules_of(module: Any) -> dict[str, Function]:
    """The seven functions of a module, or of the module of that name: rules_of(__name__).

    Those of the optional ones that it has come with them.
    """
    if isinstance(module, str):
        module = sys.modules.get(module) or importlib.import_module(module)
    missing = [name for name in RULES if not callable(getattr(module, name, None))]
    if missing:
        raise ValueError(f"rules: {module!r} lacks the functions {', '.join(missing)}")
    given = [name for name in OPTIONAL if callable(getattr(module, name, None))]
    return {name: getattr(module, name) for name in (*RULES, *given)}


@dataclass(frozen=True, eq=False)
class Game:
    """A game with its options fixed: the rules, and the facts that generic code relies on."""

    name: str
    options: dict[str, Any]  # JSON-able keywords that make this game again
    rules: Mapping[str, Function]
    cfg: Cfg
    players: int
    actions: int  # actions are 0 .. actions-1
    longest: int  # no game has more decisions than this
    state: Mapping[str, slice]  # named parts of the state, covering it
    observation: Mapping[str, slice]  # named parts of the observation, covering it
    simultaneous: str | None = None  # the part of the state that keeps its value while players
    # commit moves they make at the same time; None: every move is seen before the next one
    hidden: bool = True  # may anything be hidden, beside such moves?
    zero_sum: bool = True
    teams: tuple[int, ...] = ()  # the side of each player; empty: everybody for himself
    observation_range: tuple[float, float] = (0.0, 1.0)
    return_range: tuple[float, float] = (-1.0, 1.0)
    score: str | None = None  # the part of the state in which the game counts points, per player
    score_unit: float = 1.0  # what a one in that part is worth
    ansi: str = ""  # "module:function" that draws a state as text
    picture: str = ""  # "module:function" that draws a state as an array of pixels
    words: str = ""  # "module:NAME" of the `Words` in which people speak of it (words.py)
    key: bytes = field(init=False)  # the same for games with the same rules only
    state_size: int = field(init=False)
    observation_size: int = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "state_size", _extent("state", self.state))
        object.__setattr__(self, "observation_size", _extent("observation", self.observation))
        if self.cfg.ndim != 1 or self.cfg.dtype != np.int64:
            raise ValueError(
                f"cfg: expected a flat int64 array, got {self.cfg.dtype} {self.cfg.shape}"
            )
        object.__setattr__(self, "key", self.name.encode() + b" " + self.cfg.tobytes())
        object.__setattr__(self, "_ready", {})
        if not self.teams:
            object.__setattr__(self, "teams", tuple(range(self.players)))
        if len(self.teams) != self.players:
            raise ValueError(f"teams: {self.teams} names {len(self.teams)} of {self.players}")
        for what, part in (("simultaneous", self.simultaneous), ("score", self.score)):
            if part is not None and part not in self.state:
                parts = ", ".join(self.state)
                raise ValueError(f"{what}: {part!r} is not a part of the state; parts are {parts}")

    def compiled(self, body: Function, **more: Function) -> Function:
        """`body` compiled for this game; `more` gives further stubs such as `act`."""
        ready: dict[Any, Function] = self.__dict__["_ready"]
        wanted = (body, *more.items())
        if wanted not in ready:
            ready[wanted] = compiled(body, {**self.rules, **more}, self.name)
        return ready[wanted]

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_ready": {}}  # compiled functions do not travel

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)

    def new_state(self, rng: Rng) -> State:
        """One freshly dealt game, for tests, tools and drawing."""
        state = np.zeros(self.state_size, np.int64)
        self.compiled(self.rules["reset"])(self.cfg, state, rng)
        return state

    def call(self, name: str) -> Callable[..., Any]:
        """One of the rules, compiled: `game.call("step")(game.cfg, state, action, rng)`."""
        return self.compiled(self.rules[name])

    def __repr__(self) -> str:
        options = ", ".join(f"{k}={v!r}" for k, v in self.options.items())
        return f"<{self.name}({options})>"


def _extent(what: str, parts: Mapping[str, slice]) -> int:
    """The size that named slices cover; they must cover it without a gap or an overlap."""
    end = 0
    for name, part in sorted(parts.items(), key=lambda item: item[1].start):
        if part.start != end or part.stop <= part.start:
            raise ValueError(f"{what}: part {name!r} covers {part}, expected it to start at {end}")
        end = part.stop
    return end


def layout(**sizes: int) -> dict[str, slice]:
    """Consecutive named slices: layout(money=2, position=1) -> money 0:2, position 2:3."""
    parts = {}
    start = 0
    for name, size in sizes.items():
        parts[name] = slice(start, start + size)
        start += size
    return parts
