"""Ask a bot in another process in many positions of an index, one by one.

The bot is taken to be stateless: its answer in a position depends on the position alone, as if the
game had begun there. That is checked first, by asking in some positions twice and in two orders. A
bot whose answers differ draws them or remembers something; it is then asked several times in each
position, and its frequencies count. Where only one action is legal nobody is asked.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bidarena.baselines.adapters.faults import Fault
from bidarena.envs.game import Game
from bidarena.envs.progress import progress_bars
from bidarena.envs.registry import Bot
from bidarena.envs.rng import WORDS

LONGEST = 1800.0  # seconds that asking may take; what would take longer is refused
TRIED = 24  # positions that are asked twice, to learn about the bot and its speed
OFTEN = 0.3  # seconds between two reports

States = NDArray[np.int64]


class ByPosition:
    """Asks a bot for its actions in states, each as if the game had begun there.

    Attributes:
        stateless: whether equal questions got equal answers, as far as was tried.
        tell: called with a sentence about the progress; None: a progress bar is shown.
    """

    def __init__(self, game: Game, bot: Bot, samples: int, seed: int) -> None:
        self.game, self.bot, self.samples, self.seed = game, bot, samples, seed
        self.stateless = True
        self.tell: Callable[[str], None] | None = None
        self._total = 0  # questions that are expected; 0: not yet known
        self._done = 0
        self._began = 0.0

    @property
    def planned(self) -> bool:
        """Whether the bot was tried and the time estimated."""
        return self._total > 0

    @property
    def method(self) -> str:
        """How the answers are found, in words."""
        if self.stateless:
            return (
                "asked once in each position, taken to be stateless: equal answers in "
                f"{TRIED} positions that were asked twice, in two orders"
            )
        return (
            f"frequencies in {self.samples} samples per position, because it answered differently "
            "when positions were asked again in another order"
        )

    def plan(self, states: States, seats: NDArray[np.int64], positions: int) -> None:
        """Try the bot in some states; raise ValueError if all positions would take too long.

        Args:
            states: some states in which the bot may have to decide.
            seats: its seat in each of them.
            positions: in how many positions it will be asked, about.
        """
        order = list(range(len(states)))
        self._ask(states[0], int(seats[0]), 0)  # loading the program is not what it takes to ask
        began = time.perf_counter()
        first = {k: self._ask(states[k], int(seats[k]), k) for k in order}
        again = {k: self._ask(states[k], int(seats[k]), k) for k in reversed(order)}
        each = (time.perf_counter() - began) / max(1, 2 * len(order))
        self.stateless = first == again
        self._total = max(1, positions * (1 if self.stateless else self.samples))
        needed = each * self._total
        if needed > LONGEST:
            raise ValueError(
                f"{self.bot.name} would be asked {self._total:,} questions, which takes about "
                f"{_time(needed)} at {1000 * each:.3g} ms each, more than {_time(LONGEST)}; choose "
                "smaller rules, fewer samples, a faster form of the bot (file: instead of cmd:), "
                "or play a match against it"
            )
        self._began = time.perf_counter()
        if self.tell is not None:
            self.tell(f"asking {self.bot.name} {self._total:,} times, about {_time(needed)}")

    def frequencies(self, states: States, seat: int, numbers: NDArray[np.int64]) -> NDArray[Any]:
        """Return how often each action was chosen in each state, as shares.

        Args:
            states: the states.
            seat: the seat of the bot.
            numbers: the number of each position, from which its random numbers come.
        """
        out = np.zeros((len(states), self.game.actions))
        times = 1 if self.stateless else self.samples
        mask = np.zeros(self.game.actions, np.int8)
        told = time.perf_counter()
        with ExitStack() as shown:
            show = None
            for row, state in enumerate(states):
                self.game.call("legal")(self.game.cfg, state, mask)
                if mask.sum() == 1:
                    out[row, int(mask.argmax())] = 1.0
                    continue
                for sample in range(times):
                    action = self._ask(state, seat, int(numbers[row]), sample)
                    if not 0 <= action < len(mask) or not mask[action]:
                        legal = np.flatnonzero(mask).tolist()
                        raise ValueError(
                            f"{self.bot.name} answered {action} in position {numbers[row]}, where "
                            f"{legal} are legal; it would lose that game, so there is no best "
                            "response to measure"
                        )
                    out[row, action] += 1.0 / times
                    self._done += 1
                    if time.perf_counter() - told > OFTEN:
                        told = time.perf_counter()
                        if self.tell is None and show is None:
                            show = shown.enter_context(progress_bars())
                        if show is not None:
                            show(f"asking {self.bot.name}", self._done, self._total)
                        elif self.tell is not None:
                            self.tell(self._progress())
        return out

    def _ask(self, state: NDArray[np.int64], seat: int, *luck: int) -> int:
        """Return the bot's action in a state; raise ValueError if it fails."""
        outside: Any = self.bot.outside
        outside.forget()
        rng = np.random.default_rng([self.seed, seat, *luck]).integers(1, 2**64, WORDS, np.uint64)
        try:
            return int(outside(state.copy(), seat, rng))
        except Fault as fault:
            raise ValueError(f"{self.bot.name}: {fault}; it cannot be measured") from None

    def _progress(self) -> str:
        """Return how far the questions have come, with a bar."""
        share = min(1.0, self._done / self._total)
        left = (time.perf_counter() - self._began) * (1 - share) / max(share, 1e-9)
        bar = "━" * round(20 * share) + "╌" * (20 - round(20 * share))
        return (
            f"asking {self.bot.name} {bar} {self._done:,} of about {self._total:,}, "
            f"{_time(left)} left"
        )


def _time(seconds: float) -> str:
    """Return a time in words."""
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"
