"""What a game is: seven functions over a flat state, and a record of facts about them.

A game defines the seven functions, its rules, in its `rules.py` under exactly the names below. The
functions in this file are stubs: they declare names and types, and raise when called. Generic code
imports the stubs, and `Game.compiled` returns a compiled copy of that code in which each stub is
replaced by the rule of one game (see `compile/compiling.py`).

Rules write their results into arrays that the caller provides. `docs/adding_a_game.md` shows how to
add a game of your own without touching this package.
"""

from __future__ import annotations

import importlib
import sys
from collections import namedtuple
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bidarena.envs.compile import Function, compiled, rule

Cfg = NDArray[np.int64]  # the options of the rules as numbers; all games of a batch share them
State = NDArray[np.int64]  # (state_size,) one game with all that is hidden
Rng = NDArray[np.uint64]  # (2,) the state of one random generator (rng.py)
Mask = NDArray[np.int8]  # (actions,) 1 where the action is legal, else 0
Observation = NDArray[np.float32]  # (observation_size,)
Returns = NDArray[np.float64]  # (players,)
Params = NDArray[Any]  # options and tables of a compiled bot, mostly flat float64

OVER = -1  # returned by to_move when the game has come to its end
CUT_SHORT = -2  # returned by to_move when the game has reached a limit on its length


@rule
def reset(cfg: Cfg, state: State, rng: Rng) -> None:
    """Deal a new game into `state`, which may still hold an old game: write every part."""
    raise NotImplementedError


@rule
def to_move(cfg: Cfg, state: State) -> int:
    """Return the player to move, `OVER` or `CUT_SHORT`.

    Players who move at the same time are asked one after another. The state keeps their moves
    hidden until the last of them has moved.
    """
    raise NotImplementedError


@rule
def legal(cfg: Cfg, state: State, mask: Mask) -> None:
    """Write 1 for every action that the player to move may take, and 0 for all others."""
    raise NotImplementedError


@rule
def step(cfg: Cfg, state: State, action: int, rng: Rng) -> None:
    """Apply a legal action of the player to move, then draw the chance events that follow it."""
    raise NotImplementedError


@rule
def returns(cfg: Cfg, state: State, out: Returns) -> None:
    """Write every player's result, which counts only when the game is over or was cut short."""
    raise NotImplementedError


@rule
def observe(cfg: Cfg, state: State, player: int, out: Observation) -> None:
    """Write what `player` may know, from that player's point of view: own values come first.

    Called for any player at any time, also for one who is not to move and after the end.
    """
    raise NotImplementedError


@rule
def determinize(cfg: Cfg, state: State, player: int, rng: Rng) -> None:
    """Replace, in place, everything `player` cannot know by a random guess that fits the rest.

    The guess must not depend on the values that it replaces.
    """
    raise NotImplementedError


@rule
def signature(cfg: Cfg, state: State, player: int) -> int:
    """Optional: return a number for what `player` saw of the last move. Searches use it.

    Take two states that are reached by one move from positions that look alike to `player`. Their
    numbers must be equal if the two states look alike to `player` as well, and differ if they do
    not. What `player` knew before the move need not be part of the number.
    """
    raise NotImplementedError


@rule
def withdraw(cfg: Cfg, state: State) -> None:
    """Optional: take back, in place, the moves that are still hidden because others move too.

    Afterwards the first player of this moment is to move again, and nothing in the state may depend
    on the moves that were taken back.
    """
    raise NotImplementedError


@rule
def act(cfg: Cfg, params: Params, state: State, player: int, rng: Rng, scratch: Mask) -> int:
    """Return the action that a compiled bot chooses for `player`, who is to move.

    The bot must not use anything in the state that `player` cannot know;
    `bidarena.envs.testing.check_bot` tests this.

    Args:
        cfg: the options of the rules.
        params: the options and tables of the bot.
        state: the game, with all that is hidden.
        player: the player to move.
        rng: a generator for the bot's own random choices.
        scratch: room for one mask; the bot may fill it with `legal(cfg, state, scratch)`.
    """
    raise NotImplementedError


RULES = ("reset", "to_move", "legal", "step", "returns", "observe", "determinize")
OPTIONAL = ("signature", "withdraw")  # rules that searches use where a game defines them


def rules_of(module: Any) -> dict[str, Function]:
    """Return the seven rules of a module by name, with those optional rules that it defines.

    Args:
        module: a module or its name. A game in one file calls `rules_of(__name__)`.

    Raises:
        ValueError: one of the seven functions is missing.
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
    """A game with its options fixed: the rules, and the facts that generic code relies on.

    A game's factory makes this record: a function that takes the options of the rules as keywords.

    Args:
        name: the name under which the game is registered.
        options: the keywords with which the factory makes this game again; JSON must be able to
            hold them.
        rules: the seven functions by name, and optional ones; `rules_of` collects them.
        cfg: the options as a flat int64 array, which every rule receives.
        players: the number of players, who are numbered from 0.
        actions: the number of actions, which are numbered from 0. All players share them.
        longest: no game has more decisions than this, those of all players counted together.
        state: the named parts of the state, without a gap; see `layout`.
        observation: the named parts of an observation, without a gap.
        simultaneous: the part of the state that keeps its value while players commit moves that
            they make at the same time, for example the number of the round. None: every move is
            seen before the next one.
        hidden: whether anything but such moves may be hidden from a player.
        clock: the part of the state, one number, that counts how long the game has lasted and ends
            it at `limit`; the rules must not use it for anything else. None: there is no limit.
        limit: the game is cut short when the clock reaches this number.
        idle: parts of the state that no rule needs, except to draw the game. Exact solvers treat
            positions that differ only in the clock or in idle parts as one.
        zero_sum: whether the results of all players add up to 0.
        teams: the number of each player's side. Empty: every player is a side of their own.
        observation_range: the least and the greatest value in an observation.
        return_range: the least and the greatest result of a player.
        score: the part of the state that counts points, one number per player. None: no points.
        score_unit: how much 1 in that part is worth.
        ansi: "module:function" of a function `(game, state, seat) -> str` that draws the state as
            `seat` sees it.
        picture: "module:function" of a function `(game, state, seat) -> (height, width, 3) uint8`.
        phrases: "module:NAME" of a `Phrasebook` (bidarena.envs.phrases): how moves are named and
            typed. Empty: actions go by their numbers.

    Attributes:
        key: bytes that two games share only if they have the same rules and options.
        state_size: the length of the state.
        observation_size: the length of an observation.
    """

    name: str
    options: dict[str, Any]
    rules: Mapping[str, Function]
    cfg: Cfg
    players: int
    actions: int
    longest: int
    state: Mapping[str, slice]
    observation: Mapping[str, slice]
    simultaneous: str | None = None
    hidden: bool = True
    clock: str | None = None
    limit: int = 0
    idle: tuple[str, ...] = ()
    zero_sum: bool = True
    teams: tuple[int, ...] = ()
    observation_range: tuple[float, float] = (0.0, 1.0)
    return_range: tuple[float, float] = (-1.0, 1.0)
    score: str | None = None
    score_unit: float = 1.0
    ansi: str = ""
    picture: str = ""
    phrases: str = ""
    key: bytes = field(init=False)
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
        named = [("simultaneous", self.simultaneous), ("score", self.score), ("clock", self.clock)]
        for what, part in named + [("idle", part) for part in self.idle]:
            if part is not None and part not in self.state:
                parts = ", ".join(self.state)
                raise ValueError(f"{what}: {part!r} is not a part of the state; parts are {parts}")

    def compiled(self, body: Function, **more: Function) -> Function:
        """Return `body` compiled for this game. Repeated calls return the same function.

        Args:
            body: a plain function, such as one of the rules or a loop that calls stubs of rules.
            **more: functions for further stubs that `body` uses, such as `act`.
        """
        ready: dict[Any, Function] = self.__dict__["_ready"]
        wanted = (body, *more.items())
        if wanted not in ready:
            ready[wanted] = compiled(body, {**self.rules, **more}, self.name)
        return ready[wanted]

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_ready": {}}  # compiled functions cannot be pickled

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)

    def new_state(self, rng: Rng) -> State:
        """Deal one game and return its state, for tests, tools and drawing."""
        state = np.zeros(self.state_size, np.int64)
        self.compiled(self.rules["reset"])(self.cfg, state, rng)
        return state

    def call(self, name: str) -> Callable[..., Any]:
        """Return a rule, compiled: `game.call("step")(game.cfg, state, action, rng)`."""
        return self.compiled(self.rules[name])

    def checked_state(self, state: Any) -> State:
        """Return a state from outside as compiled code needs it; raise ValueError if it cannot be.

        The number and type of its entries and the player to move are checked. That the entries are
        those of a game which can be reached is not: only the rules know that.
        """
        array = np.asarray(state)
        if array.shape != (self.state_size,) or array.dtype.kind not in "iu":
            raise ValueError(
                f"state: expected {self.state_size} whole numbers, a state of {self.name}, got "
                f"{array.dtype} of shape {array.shape}"
            )
        checked: State = np.ascontiguousarray(array, np.int64)
        mover = int(self.call("to_move")(self.cfg, checked))
        if not CUT_SHORT <= mover < self.players:
            raise ValueError(f"state: player {mover} is to move; {self.name} has {self.players}")
        return checked

    def __repr__(self) -> str:
        options = ", ".join(f"{k}={v!r}" for k, v in self.options.items())
        return f"<{self.name}({options})>"


def _extent(what: str, parts: Mapping[str, slice]) -> int:
    """Return the length that named slices cover; raise ValueError at a gap or an overlap."""
    end = 0
    for name, part in sorted(parts.items(), key=lambda item: item[1].start):
        if part.start != end or part.stop <= part.start:
            raise ValueError(f"{what}: part {name!r} covers {part}, expected it to start at {end}")
        end = part.stop
    return end


def layout(**sizes: int) -> dict[str, slice]:
    """Return consecutive slices by name: layout(money=2, position=1) -> money 0:2, position 2:3."""
    parts = {}
    start = 0
    for name, size in sizes.items():
        parts[name] = slice(start, start + size)
        start += size
    return parts


def starts(parts: Mapping[str, slice]) -> Any:
    """Return a named tuple with the first index of each part: starts(layout(a=2, b=1)).b is 2.

    Games keep such tuples as globals, so that a reader sees what a number belongs to: `S` for the
    state, `C` for cfg, `A` for actions and `V` for what is in view, the observation. Compiled code
    reads them as constants: `state[S.money + player]`.
    """
    return namedtuple("Starts", parts)(*(part.start for part in parts.values()))
