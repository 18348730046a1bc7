"""Bots written for a programming contest: a program, or a Python file with `calculate_bid`.

A program is started anew for every move. It gets four lines: which player it is (1 or 2), where the
bottle stands, all bids of player 1 so far, all bids of player 2, separated by spaces. It prints its
bid. The function is called as calculate_bid(player, pos, first_moves, second_moves) with these four
facts, the bids as lists; its file is loaded once, in a process that keeps running.

Both know only one set of rules: the winner of a round pays the bank, the draw advantage passes
after a tie, and all bids are seen.
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
from bidarena.envs.phrases import legal_actions
from bidarena.envs.registry import Bot
from bidarena.envs.scotch.rules import C, S

OPENER = "bidarena.baselines.adapters.scotch.worker:open_file"  # called in the file's process

Bids = list[tuple[int, int]]  # the bids of both players, round by round


class Standing(NamedTuple):
    """A game between two rounds."""

    position: int
    money: tuple[int, int]
    advantage: int

    def after(self, bids: tuple[int, int]) -> Standing:
        """Return the standing one round later."""
        tied = bids[0] == bids[1]
        winner = self.advantage if tied else int(bids[1] > bids[0])
        money = list(self.money)
        money[winner] -= bids[winner]
        step = 1 if winner else -1
        advantage = 1 - self.advantage if tied else self.advantage
        return Standing(self.position + step, (money[0], money[1]), advantage)

    def before(self, bids: tuple[int, int], winner: int) -> Standing:
        """Return the standing one round earlier, given how that round went."""
        money = list(self.money)
        money[winner] += bids[winner]
        step = 1 if winner else -1
        tied = bids[0] == bids[1]
        advantage = 1 - self.advantage if tied else self.advantage
        return Standing(self.position - step, (money[0], money[1]), advantage)


def check_rules(game: Game) -> None:
    """Raise ValueError for rules that the four lines cannot tell."""
    for rule, needed in (("payment", "bank"), ("tie", "alternate"), ("know_opponent_money", True)):
        if game.options[rule] != needed:
            raise ValueError(
                f"{rule}={game.options[rule]!r}: this protocol tells all bids and knows only "
                f"{rule}={needed!r}; other rules can be played through json:COMMAND"
            )


def opening(game: Game) -> Standing:
    """Return the standing at the start of a game."""
    cfg = game.cfg
    purse = (int(cfg[C.money]), int(cfg[C.money + 1]))
    return Standing(int(cfg[C.start]), purse, 0)


def standing_of(state: State) -> Standing:
    """Return the standing in a state."""
    money = (int(state[S.money]), int(state[S.money + 1]))
    return Standing(int(state[S.position]), money, int(state[S.advantage]))


def past_bids(game: Game, seat: Seat, state: State) -> Bids:
    """Return all bids of the game so far.

    A state has only the bids of the last round, so the others are remembered from move to move. If
    the position does not follow the remembered one, bids that lead to it are invented.
    """
    rounds = int(state[S.round])
    now = standing_of(state)
    bids: Bids = []
    if rounds:
        last = (int(state[S.last_bids]), int(state[S.last_bids + 1]))
        earlier = now.before(last, int(state[S.last_winner]))
        known, was = seat.kept if seat.kept is not None else ([], None)
        if len(known) != rounds - 1 or was != earlier:
            known = invented(opening(game), earlier, rounds - 1)
        bids = [*known, last]
    seat.kept = (bids, now)
    return bids


def invented(start: Standing, end: Standing, rounds: int) -> Bids:
    """Return bids that lead from `start` to `end` in so many rounds.

    They need not be likely bids, but a program that counts money, ties and steps gets `end`.
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
    """Return a position as the text that programs read."""
    first = " ".join(str(bid) for bid, _ in bids)
    second = " ".join(str(bid) for _, bid in bids)
    return f"{player + 1}\n{position}\n{first}\n{second}\n"


def check_bid(game: Game, state: State, player: int, bid: int) -> int:
    """Return a bid; raise `Fault`, which tells money and legal bids, if it is not legal."""
    legal = legal_actions(game, state)
    if bid not in legal:
        most = "" if len(legal) == 1 else f" to {legal[-1]}"
        money = int(state[S.money + player])
        raise Fault(f"bid {bid} with {money} left; legal: {legal[0]}{most}")
    return bid


class _Program(Asked):
    """Asks a program, in a new process for every move."""

    def move(self, seat: Seat, state: State, rng: Rng, seconds: float) -> int:
        bids = past_bids(self.game, seat, state)
        text = four_lines(seat.player, int(state[S.position]), bids)
        said = self.program.run(text.encode(), seconds)
        numbers = said.split()
        try:
            bid = int(numbers[0]) if len(numbers) == 1 and len(numbers[0]) < 20 else None
        except ValueError:
            bid = None
        if bid is not None:
            return check_bid(self.game, state, seat.player, bid)
        shown = said[:60].decode(errors="replace")
        raise Fault(f"printed {shown!r}, expected one whole number")


class _Function(Asked):
    """Asks a function, in a process that keeps running."""

    program: PythonFile

    def get_ready(self) -> None:
        if not self.program.running:
            self.program.load()

    def move(self, seat: Seat, state: State, rng: Rng, seconds: float) -> int:
        bids = past_bids(self.game, seat, state)
        first, second = [one for one, _ in bids], [two for _, two in bids]
        question = [seat.player + 1, int(state[S.position]), first, second]
        bid = self.program.call({"bid": question}, seconds)
        return check_bid(self.game, state, seat.player, bid)


def program_bot(game: Game, command: str, limits: Limits) -> Bot:
    """Return a bot that starts a program for every move; `command` is split as in a shell."""
    check_rules(game)
    return as_bot(f"cmd:{command}", _Program(game, Sandbox(shlex.split(command), limits)))


def function_bot(game: Game, file: str, limits: Limits) -> Bot:
    """Return a bot that asks the function `calculate_bid` of a Python file."""
    check_rules(game)
    return as_bot(f"file:{file}", _Function(game, PythonFile(file, limits, {"open": OPENER})))
