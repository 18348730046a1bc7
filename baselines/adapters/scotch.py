"""Scotch bots as a programming contest has them: a program, or a Python file with `calculate_bid`.

A program is started afresh for every move. It gets four lines: who it is (1 or 2), where the bottle
stands, all bids of player 1 so far and all of player 2, separated by spaces; it prints its bid. The
function is called as calculate_bid(player, pos, first_moves, second_moves) with the same, the bids
as lists; the file is loaded once, in a process that stays.

Both know one game: the winner of a round pays the bank, ties go to and fro, bids are seen.
"""

from __future__ import annotations

import shlex
from typing import NamedTuple

from bidarena.baselines.adapters.asked import Asked, as_bot
from bidarena.baselines.adapters.faults import Fault
from bidarena.baselines.adapters.limits import Limits
from bidarena.baselines.adapters.python_file import PythonFile
from bidarena.baselines.adapters.sandbox import Sandbox
from bidarena.baselines.adapters.seats import Seat
from bidarena.envs.game import Game, Rng, State
from bidarena.envs.registry import Bot
from bidarena.envs.scotch import rules

Bids = list[tuple[int, int]]  # of both players, round by round


class Standing(NamedTuple):
    """A game between two rounds."""

    position: int
    money: tuple[int, int]
    advantage: int

    def after(self, bids: tuple[int, int]) -> Standing:
        """The same game one round later."""
        tied = bids[0] == bids[1]
        winner = self.advantage if tied else int(bids[1] > bids[0])
        money = list(self.money)
        money[winner] -= bids[winner]
        step = 1 if winner else -1
        advantage = 1 - self.advantage if tied else self.advantage
        return Standing(self.position + step, (money[0], money[1]), advantage)

    def before(self, bids: tuple[int, int], winner: int) -> Standing:
        """The same game one round earlier, given how that round went."""
        money = list(self.money)
        money[winner] += bids[winner]
        step = 1 if winner else -1
        tied = bids[0] == bids[1]
        advantage = 1 - self.advantage if tied else self.advantage
        return Standing(self.position - step, (money[0], money[1]), advantage)


def check_rules(game: Game) -> None:
    """Refuse rules that the four lines cannot tell."""
    for rule, needed in (("payment", "bank"), ("tie", "alternate"), ("know_opponent_money", True)):
        if game.options[rule] != needed:
            raise ValueError(
                f"{rule}={game.options[rule]!r}: this protocol tells all bids and knows only "
                f"{rule}={needed!r}; other rules can be played through json:COMMAND"
            )


def opening(game: Game) -> Standing:
    """How a game begins."""
    cfg = game.cfg
    purse = (int(cfg[rules.PURSE]), int(cfg[rules.PURSE + 1]))
    return Standing(int(cfg[rules.START]), purse, 0)


def standing_of(state: State) -> Standing:
    """What both players know of a state."""
    money = (int(state[rules.MONEY]), int(state[rules.MONEY + 1]))
    return Standing(int(state[rules.POSITION]), money, int(state[rules.ADVANTAGE]))


def past_bids(game: Game, seat: Seat, state: State) -> Bids:
    """All bids of the game so far.

    A state keeps those of the last round only, so the others are remembered from move to move. A
    position that comes out of nowhere gets earlier bids that lead to it.
    """
    rounds = int(state[rules.ROUND])
    now = standing_of(state)
    bids: Bids = []
    if rounds:
        last = (int(state[rules.LAST_BIDS]), int(state[rules.LAST_BIDS + 1]))
        earlier = now.before(last, int(state[rules.LAST_WINNER]))
        known, was = seat.kept if seat.kept is not None else ([], None)
        if len(known) != rounds - 1 or was != earlier:
            known = invented(opening(game), earlier, rounds - 1)
        bids = [*known, last]
    seat.kept = (bids, now)
    return bids


def invented(start: Standing, end: Standing, rounds: int) -> Bids:
    """Bids that lead from `start` to `end` in so many rounds: each winner paid what he lacks now.

    They need not be bids that anybody would make; whoever counts money, ties and steps comes out
    right.
    """
    steps = end.position - start.position
    wins = ((rounds - steps) // 2, (rounds + steps) // 2)
    bids: Bids = []
    for winner in range(2):
        spent = start.money[winner] - end.money[winner]
        for left in range(wins[winner], 0, -1):
            price = 1 if left > 1 else spent
            spent -= price
            other = 1 if price > 1 else 0
            bids.append((other, price) if winner else (price, other))
    if end.advantage != start.advantage:  # the first tie was won by player 0
        bids[0] = (bids[0][0], bids[0][0])
    return bids


def four_lines(player: int, position: int, bids: Bids) -> str:
    """A position as the programs read it."""
    first = " ".join(str(bid) for bid, _ in bids)
    second = " ".join(str(bid) for _, bid in bids)
    return f"{player + 1}\n{position}\n{first}\n{second}\n"


class _Program(Asked):
    """A fresh process for every move."""

    def move(self, seat: Seat, state: State, rng: Rng, seconds: float) -> int:
        bids = past_bids(self.game, seat, state)
        text = four_lines(seat.player, int(state[rules.POSITION]), bids)
        said = self.program.run(text.encode(), seconds)
        words = said.split()
        try:
            if len(words) == 1 and len(words[0]) < 20:
                return int(words[0])
        except ValueError:
            pass
        shown = said[:60].decode(errors="replace")
        raise Fault(f"printed {shown!r}, expected one whole number")


class _Function(Asked):
    """A function in a process that stays."""

    program: PythonFile

    def get_ready(self) -> None:
        if not self.program.running:
            self.program.load()

    def move(self, seat: Seat, state: State, rng: Rng, seconds: float) -> int:
        bids = past_bids(self.game, seat, state)
        first, second = [one for one, _ in bids], [two for _, two in bids]
        question = [seat.player + 1, int(state[rules.POSITION]), first, second]
        return self.program.call({"bid": question}, seconds)


def program_bot(game: Game, command: str, limits: Limits) -> Bot:
    """A bot that starts a program for every move; `command` is split as a shell would."""
    check_rules(game)
    return as_bot(f"cmd:{command}", _Program(game, Sandbox(shlex.split(command), limits)))


def function_bot(game: Game, file: str, limits: Limits) -> Bot:
    """A bot that is the function `calculate_bid` of a Python file."""
    check_rules(game)
    return as_bot(f"file:{file}", _Function(game, PythonFile(file, limits, {"kind": "scotch"})))
