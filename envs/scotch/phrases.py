"""Phrases of Scotch: how a bid is typed, how a round went, the table of all rounds."""

from __future__ import annotations

from bidarena.envs.bidding import ALTERNATE, OPPONENT
from bidarena.envs.game import Game, State
from bidarena.envs.phrases import Names, Phrasebook, Viewer, in_order
from bidarena.envs.phrases.bidding import (
    bidding_columns,
    offer_bids,
    read_bid,
    refuse_bid,
    round_story,
    tie_rule,
)
from bidarena.envs.scotch.rules import LOSE, C, S


def name(game: Game, state: State, action: int) -> str:
    """Return what a bid is called."""
    return f"bid {action}"


def read(game: Game, state: State, text: str) -> int:
    """Return the bid in a typed text; raise ValueError if there is none."""
    return read_bid(text)


def refuse(game: Game, state: State, action: int) -> str:
    """Return why the player to move may not bid `action`."""
    player = 0 if state[S.pending] < 0 else 1
    return refuse_bid(action, int(state[S.money + player]))


def offer(game: Game, state: State, actions: list[int]) -> str:
    """Return the legal bids in one line."""
    return offer_bids(actions)


def _seen_bids(game: Game, after: State, seat: Viewer) -> tuple[int | None, int | None]:
    """Return the bids of the last round, the viewer's first; None for a bid they never learn.

    With hidden money a viewer learns of a tie only if the draw advantage passed for all to see.
    """
    first, second = in_order(game, seat)
    own, other = (int(after[S.last_bids + player]) for player in (first, second))
    passed = own == other and game.cfg[C.tie] == ALTERNATE
    shown = seat is None or game.cfg[C.know_opponent_money] or passed
    return own, other if shown else None


def tell(game: Game, before: State, action: int, after: State, seat: Viewer, names: Names) -> str:
    """Return how the round went, once both bids are in; "" before."""
    if after[S.round] == before[S.round]:
        return ""
    story = round_story(game, before, after, _seen_bids(game, after, seat), seat, names)
    moved = f"the bottle went from {before[S.position]} to {after[S.position]}"
    return f"round {after[S.round]}: {story}; {moved}."


def columns(game: Game, seat: Viewer, names: Names) -> list[str]:
    """Return the headings of the table of rounds."""
    return bidding_columns(game, seat, names, "paid", "bottle at")


def row(game: Game, before: State, after: State, seat: Viewer, names: Names) -> list[str] | None:
    """Return a finished round: both bids, winner, price, and bottle and money afterwards."""
    if after[S.round] == before[S.round]:
        return None
    first, second = in_order(game, seat)
    bids = _seen_bids(game, after, seat)
    winner = int(after[S.last_winner])
    price = bids[int(winner != first)]
    mark = " (tie)" if bids[0] == bids[1] else ""
    low = high = int(after[S.money + second])
    if seat is not None and not game.cfg[C.know_opponent_money]:
        low, high = int(after[S.low + second]), int(after[S.high + second])
    return [
        str(after[S.round]),
        *("?" if bid is None else str(bid) for bid in bids),
        names[winner] + mark,
        "?" if price is None else f"${price}",
        str(after[S.position]),
        f"${after[S.money + first]}",
        f"${low}" if low == high else f"${low} to ${high}",
    ]


def aim(game: Game, seat: int) -> str:
    """Return the aim of the game in a few sentences, under the rules in force."""
    payee = "the other" if game.cfg[C.payment] == OPPONENT else "the bank"
    end = 0 if seat == 0 else game.cfg[C.length]
    hidden = "" if game.cfg[C.know_opponent_money] else " The other's money and bids stay hidden."
    broke = " A player without money has lost." if game.cfg[C.broke] == LOSE else ""
    return (
        "Each round both bid in secret. The higher bid pulls the bottle one step to its bidder, "
        f"who pays it to {payee}. {tie_rule(int(game.cfg[C.tie]))} "
        f"Bring the bottle to {end} to win.{broke}{hidden}"
    )


PHRASES = Phrasebook(
    name=name,
    read=read,
    refuse=refuse,
    tell=tell,
    offer=offer,
    columns=columns,
    row=row,
    typed="a whole number of dollars, such as 12",
    aim=aim,
)
