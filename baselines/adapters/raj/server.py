"""Our Raj bots as RajAgents: an agent file for the original program, and the agent behind it."""

from __future__ import annotations

import copy
import sys
from pathlib import Path
from typing import Any

import numpy as np

from bidarena.baselines.adapters.own import Chooser, chooser, words_from
from bidarena.envs.files import write_whole
from bidarena.envs.game import Game, State
from bidarena.envs.raj.rules import NOBODY, S
from bidarena.envs.registry import make_bot, make_game

FILE = '''"""The Raj bot {name} of bidarena as an agent; needs bidarena installed, nothing else."""

from bidarena.baselines.adapters.raj.server import served_agent

agentName = {agent!r}
RajAgent = served_agent({bot!r}, seed={seed})
'''


def serve(game: Game, bot: str, *, write: str = "", seed: int = 0) -> None:
    """Write the agent file of a bot, and print what to do with it.

    Args:
        game: Raj.
        bot: the bot's name with options.
        write: the file to write, such as my_agent.py.
        seed: seed of the bot's random numbers.
    """
    if not write:
        raise ValueError("write: expected the file to write, as in --write my_agent.py")
    write_agent(bot, write, seed=seed)
    print(f"wrote {write}: name it in agentFiles of settings.py", file=sys.stderr)


def write_agent(bot: str, file: str, *, seed: int = 0) -> None:
    """Write a Python file with a class `RajAgent` that plays like one of our bots."""
    make_bot(make_game("raj"), bot)  # raises now if the bot does not exist
    text = FILE.format(name=bot.replace('"', ""), agent=f"bidarena {bot}", bot=bot, seed=seed)
    write_whole(Path(file), text.encode())


def served_agent(bot: str, *, seed: int = 0) -> type:
    """Return a class `RajAgent` that plays like one of our bots, in games of any size."""

    class RajAgent(ServedAgent):
        """An agent that plays like one of our bots."""

        def __init__(self, item_values: Any, card_values: Any) -> None:
            super().__init__(bot, seed, item_values, card_values)

    return RajAgent


class ServedAgent:
    """An agent that asks one of our bots.

    Percepts do not tell the others' banks, so it counts them from move to move.
    """

    def __init__(self, bot: str, seed: int, item_values: Any, card_values: Any) -> None:
        self.bot = bot
        self.seed = seed
        self.items = [int(item) for item in item_values]
        self.cards = sorted(int(card) for card in card_values)
        self._games: dict[int, tuple[Game, Chooser]] = {}  # by the number of players
        self._before: _Seen | None = None
        self._banks: list[int] = []
        self._asked = 0
        # Compile the game for 2 players now, when no time limit runs; for more players when met.
        game, choose = self._game(2)
        choose(game.new_state(words_from(0)), 0, words_from(1))

    def __deepcopy__(self, memo: Any) -> ServedAgent:
        """Return an agent for another game, which shares the compiled bot."""
        twin = copy.copy(self)
        twin._banks = list(self._banks)
        return twin

    def AgentFunction(self, percepts: Any) -> int:  # noqa: N802 (the original program's name)
        """Return the card to bid."""
        now = _Seen(percepts)
        if len(now.hands[0]) == len(self.cards) or len(self._banks) != len(now.hands):
            self._banks, self._before = [0] * len(now.hands), None
        elif self._before is not None:
            self._count(self._before, now)
        self._banks[0] = now.bank
        self._before = now
        self._asked += 1
        game, choose = self._game(len(now.hands))
        state = self._state(game, now)
        return self.cards[choose(state, 0, words_from(self.seed, self._asked))]

    def _game(self, players: int) -> tuple[Game, Chooser]:
        """Return the game for so many players, and the bot's way to choose in it."""
        if players not in self._games:
            game = make_game("raj", players=players, cards=self.cards, items=self.items)
            self._games[players] = (game, chooser(game, self.bot))
        return self._games[players]

    def _count(self, before: _Seen, now: _Seen) -> None:
        """Add the pot of the last round to the bank of its taker, which the hands reveal."""
        gone = [set(old) - set(new) for old, new in zip(before.hands, now.hands, strict=True)]
        if any(len(cards) != 1 for cards in gone):
            return  # not the round just before: nothing can be worked out
        bids = [cards.pop() for cards in gone]
        unique = sorted(bid for bid in bids if bids.count(bid) == 1)
        if unique:
            self._banks[bids.index(unique[-1] if before.pot >= 0 else unique[0])] += before.pot

    def _state(self, game: Game, now: _Seen) -> State:
        """Return the state with this agent in seat 0; of equal items the lowest is gone first."""
        values = game.options["items"]
        left = list(now.items)
        items = 0
        for k in reversed(range(len(values))):
            if values[k] in left:
                left.remove(values[k])
                items |= 1 << k
        state = np.zeros(game.state_size, np.int64)
        state[S.pot] = now.pot
        state[S.items] = items
        state[S.round] = len(self.cards) - len(now.hands[0])
        state[S.last_taker] = NOBODY
        state[game.state["last_bids"]] = -1
        state[game.state["hands"]] = [
            sum(1 << self.cards.index(card) for card in hand) for hand in now.hands
        ]
        state[game.state["banks"]] = self._banks
        return state


class _Seen:
    """Percepts as whole numbers, which may come as other types; the agent's own hand first."""

    def __init__(self, percepts: Any) -> None:
        pot, items, own, bank, *others = percepts
        self.pot = int(pot)
        self.items = [int(item) for item in items]
        self.bank = int(bank)
        self.hands = [[int(card) for card in hand] for hand in (own, *others)]
