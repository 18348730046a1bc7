"""RajAgent files as bots: what agents are told, and how they are trained."""

from __future__ import annotations

import json
import time
from typing import Any

from bidarena.baselines.adapters.asked import Asked, as_bot
from bidarena.baselines.adapters.faults import Fault
from bidarena.baselines.adapters.limits import Limits
from bidarena.baselines.adapters.python_file import PythonFile
from bidarena.baselines.adapters.raj.table import Percepts, percepts_of
from bidarena.baselines.adapters.seats import Seat
from bidarena.envs.game import Game, Rng, State
from bidarena.envs.progress import ShowProgress, progress_bars
from bidarena.envs.raj.rules import C, S, banks_at
from bidarena.envs.registry import Bot

OPENER = "bidarena.baselines.adapters.raj.worker:open_agent"  # called in the file's process


class Agent(PythonFile):
    """The process of one RajAgent; with `train_first` the agent is trained when it is loaded."""

    def __init__(
        self, file: str, limits: Limits, cards: Any, items: Any, *, train_first: bool = False
    ) -> None:
        setup = {"open": OPENER, "cards": list(cards), "items": list(items)}
        super().__init__(file, limits, setup)
        self.train_first = train_first

    def load(self) -> None:
        """Start the process and load the file."""
        super().load()
        if self.train_first and self.facts["training"]:
            with progress_bars() as progress:
                self.train(0, progress=progress)

    def bid(self, percepts: Percepts, seconds: float | None = None, **facts: Any) -> int:
        """Return the card that the agent bids; `facts` tell which of several games this is."""
        pot, left, own, bank, *others = percepts
        told = [float(pot), list(map(float, left)), own, float(bank), *others]
        return int(self.call({"percepts": told, **facts}, seconds))

    def train(self, seed: int, progress: ShowProgress | None = None) -> int:
        """Train the agent if its file asks for it, once; return the number of games.

        Args:
            seed: seed of the orders of items.
            progress: called with what is done, and how many games of how many.
        """
        if not self.running:
            self.load()
        games = int(self.facts["training"])
        if not games:
            return 0
        end = time.monotonic() + self.limits.training
        order = {"train": seed}
        try:
            message = self._answer(self.ask(json.dumps(order).encode(), self.limits.training))
            while "trained" in message:
                if progress is not None:
                    progress(f"training {self.facts['name']}", message["trained"], games)
                message = self.listen(max(0.01, end - time.monotonic()))
        except Fault:
            if time.monotonic() >= end:
                limit = f"{self.limits.training:g} s"
                raise Fault(f"did not finish its training within {limit}") from None
            raise
        self.facts["training"] = 0
        return games


class _Player(Asked):
    """Asks a RajAgent in matches and environments, which play many games side by side.

    Agents are written for one game after another. So each game has its own copy of the agent, if
    copying it takes almost no time.
    """

    program: Agent

    def __init__(self, game: Game, program: Agent) -> None:
        super().__init__(game, program)
        self._over: list[int] = []  # games that the agent can forget

    def game_over(self, seat: Seat) -> None:
        self._over.append(seat.number)

    def get_ready(self) -> None:
        if not self.program.running:
            self.program.load()

    def move(self, seat: Seat, state: State, rng: Rng, seconds: float) -> int:
        game = self.game
        percepts = percepts_from(game, state, seat.player)
        own = percepts[2]
        if len(own) == 1 and not self.program.facts["asks_last"]:
            bid = own[0]
        else:
            over, self._over = self._over, []
            bid = self.program.bid(percepts, seconds, game=seat.number, over=over)
        cards = game.options["cards"]
        if bid not in own:
            raise Fault(f"bid {bid}, which is not among its cards {list(own)}")
        return int(cards.index(bid))


def percepts_from(game: Game, state: State, player: int) -> Percepts:
    """Return what a RajAgent is told of a state."""
    cards, items = game.options["cards"], game.options["items"]
    hands = [
        [card for k, card in enumerate(cards) if int(state[S.hands + other]) >> k & 1]
        for other in range(game.players)
    ]
    left = [item for k, item in enumerate(items) if int(state[S.items]) >> k & 1]
    bank = int(state[banks_at(game.cfg) + player]) / int(game.cfg[C.unit])
    return percepts_of(int(state[S.pot]), left, hands, player, bank)


def agent_bot(game: Game, file: str, limits: Limits) -> Bot:
    """Return a bot that asks the class `RajAgent` of a Python file; training: see `worker.py`."""
    values = (game.options["cards"], game.options["items"])
    agent = Agent(file, limits, *values, train_first=True)
    return as_bot(f"file:{file}", _Player(game, agent))
