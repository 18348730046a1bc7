"""Our Raj bots as RajAgents: a file for the program of others, and the agent behind it."""

from __future__ import annotations

import copy
import sys
from pathlib import Path
from typing import Any

import numpy as np

from bidarena.baselines.adapters.own import Chooser, chooser, words_from
from bidarena.envs.files import write_whole
from bidarena.envs.game import Game, State
from bidarena.envs.raj import rules
from bidarena.envs.registry import make_bot, make_game

FILE = '''"""The Raj bot {name} of bidarena as an agent; needs bidarena installed, nothing else."""

from bidarena.baselines.adapters.raj_server import served_agent

agentName = {agent!r}
RajAgent = served_agent({bot!r}, seed={seed})
'''


def serve(game: Game, bot: str, *, write: str | None, seed: int = 0) -> None:
    """Write the agent file of a bot, and say what to do with it."""
    if write is None:
        raise ValueError("write: expected the file to write, as in --write my_agent.py")
    write_agent(bot, write, seed=seed)
    print(f"wrote {write}: name it in agentFiles of settings.py", file=sys.stderr)


def write_agent(bot: str, file: str, *, seed: int = 0) -> None:
    """Write a Python file with a class `RajAgent` that plays like one of our bots."""
    make_bot(make_game("raj"), bot)  # a bot that does not exist is found out now
    text = FILE.format(name=bot.replace('"', ""), agent=f"bidarena {bot}", bot=bot, seed=seed)
    write_whole(Path(file), text.encode())


def served_agent(bot: str, *, seed: int = 0) -> type:
    """A class `RajAgent` that plays like one of our bots, with any cards and number of players."""

    class RajAgent(ServedAgent):
        """One of our bots."""

        def __init__(self, item_values: Any, card_values: Any) -> None:
            super().__init__(bot, seed, item_values, card_values)

    return RajAgent


class ServedAgent:
    """Keeps what percepts do not tell, the others' banks, by counting from move to move."""

    def __init__(self, bot: str, seed: int, item_values: Any, card_values: Any) -> None:
        self.bot = bot
        self.seed = seed
        self.items = [int(item) for item in item_values]
        self.cards = sorted(int(card) for card in card_values)
        self._games: dict[int, tuple[Game, Chooser]] = {}  # by the number of players
        self._before: _Seen | None = None
        self._banks: list[int] = []
        self._asked = 0
        # Compiled now, on nobody's clock; with more players once more when they are seen.
        game, choose = self._game(2)
        choose(game.new_state(words_from(0)), 0, words_from(1))

    def __deepcopy__(self, memo: Any) -> ServedAgent:
        """Another agent for another game, with the same compiled bot."""
        twin = copy.copy(self)
        twin._banks = list(self._banks)
        return twin

    def AgentFunction(self, percepts: Any) -> int:  # noqa: N802 (their name)
        """The card to bid."""
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
        if players not in self._games:
            game = make_game("raj", players=players, cards=self.cards, items=self.items)
            self._games[players] = (game, chooser(game, self.bot))
        return self._games[players]

    def _count(self, before: _Seen, now: _Seen) -> None:
        """Who took the pot of the round before, as everybody could see."""
        gone = [set(old) - set(new) for old, new in zip(before.hands, now.hands, strict=True)]
        if any(len(cards) != 1 for cards in gone):
            return  # not the round before: nothing can be worked out
        bids = [cards.pop() for cards in gone]
        unique = sorted(bid for bid in bids if bids.count(bid) == 1)
        if unique:
            self._banks[bids.index(unique[-1] if before.pot >= 0 else unique[0])] += before.pot

    def _state(self, game: Game, now: _Seen) -> State:
        """The position, with ourselves in seat 0; items of equal value go the lowest first."""
        values = game.options["items"]
        left = list(now.items)
        items = 0
        for k in reversed(range(len(values))):
            if values[k] in left:
                left.remove(values[k])
                items |= 1 << k
        state = np.zeros(game.state_size, np.int64)
        state[rules.POT] = now.pot
        state[rules.LEFT] = items
        state[rules.ROUND] = len(self.cards) - len(now.hands[0])
        state[rules.LAST_TAKER] = rules.NOBODY
        state[game.state["last_bids"]] = -1
        state[game.state["hands"]] = [
            sum(1 << self.cards.index(card) for card in hand) for hand in now.hands
        ]
        state[game.state["banks"]] = self._banks
        return state


class _Seen:
    """Percepts with whole numbers, whatever type they came in; own cards first."""

    def __init__(self, percepts: Any) -> None:
        pot, items, own, bank, *others = percepts
        self.pot = int(pot)
        self.items = [int(item) for item in items]
        self.bank = int(bank)
        self.hands = [[int(card) for card in hand] for hand in (own, *others)]
