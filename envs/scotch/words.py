"""Scotch in words: how a bid is typed, how a round went, the table of all rounds."""

from __future__ import annotations

from bidarena.envs.bidding import ALTERNATE, OPPONENT
from bidarena.envs.bidding_words import offer_bids, read_bid, refuse_bid, round_story, tie_rule
from bidarena.envs.game import Game, State
from bidarena.envs.scotch import rules
from bidarena.envs.words import Names, Viewer, Words, in_order


def name(game: Game, state: State, action: int) -> str:
    """A bid."""
    return f"bid {action}"


def read(game: Game, state: State, text: str) -> int:
    """A bid as typed."""
    return read_bid(text)


def refuse(game: Game, state: State, action: int) -> str:
    """Why the player to move may not bid that."""
    player = 0 if state[rules.PENDING] < 0 else 1
    return refuse_bid(action, int(state[rules.MONEY + player]))


def offer(game: Game, state: State, actions: list[int]) -> str:
    """The bids one can make."""
    return offer_bids(actions)


def _seen_bids(game: Game, after: State, seat: Viewer) -> tuple[int | None, int | None]:
    """The bids of the last round, the viewer's first; None where he never learns it.

    With hidden money he learns of a tie only if the draw advantage passed for all to see.
    """
    first, second = in_order(game, seat)
    own, other = (int(after[rules.LAST_BIDS + player]) for player in (first, second))
    passed = own == other and game.cfg[rules.TIE] == ALTERNATE
    shown = seat is None or game.cfg[rules.KNOW] or passed
    return own, other if shown else None


def tell(game: Game, before: State, action: int, after: State, seat: Viewer, names: Names) -> str:
    """How the round went, once both bids are in."""
    if after[rules.ROUND] == before[rules.ROUND]:
        return ""
    first, second = in_order(game, seat)
    holder = int(before[rules.ADVANTAGE])
    story = round_story(
        _seen_bids(game, after, seat),
        int(after[rules.LAST_WINNER] != first),
        (names[first], names[second]),
        "" if game.cfg[rules.PAYMENT] == OPPONENT else "the bank",
        int(game.cfg[rules.TIE]),
        holder if holder < 0 else int(holder != first),
    )
    moved = f"the bottle went from {before[rules.POSITION]} to {after[rules.POSITION]}"
    return f"round {after[rules.ROUND]}: {story}; {moved}."


def columns(game: Game, seat: Viewer, names: Names) -> list[str]:
    """Of the table of rounds."""
    both = [names[player] for player in in_order(game, seat)]
    return [
        *("round", f"{both[0]} bid", f"{both[1]} bid", "won by", "paid", "bottle at"),
        *(f"{who} {'have' if who == 'you' else 'has'}" for who in both),
    ]


def row(game: Game, before: State, after: State, seat: Viewer, names: Names) -> list[str] | None:
    """A round: both bids, who won and paid, and what stood afterwards."""
    if after[rules.ROUND] == before[rules.ROUND]:
        return None
    first, second = in_order(game, seat)
    bids = _seen_bids(game, after, seat)
    winner = int(after[rules.LAST_WINNER])
    price = bids[int(winner != first)]
    mark = " (tie)" if bids[0] == bids[1] else ""
    low = high = int(after[rules.MONEY + second])
    if seat is not None and not game.cfg[rules.KNOW]:
        low, high = int(after[rules.LOW + second]), int(after[rules.HIGH + second])
    return [
        str(after[rules.ROUND]),
        *("?" if bid is None else str(bid) for bid in bids),
        names[winner] + mark,
        "?" if price is None else f"${price}",
        str(after[rules.POSITION]),
        f"${after[rules.MONEY + first]}",
        f"${low}" if low == high else f"${low} to ${high}",
    ]


def aim(game: Game, seat: int) -> str:
    """The game in a few sentences, under the rules in force."""
    payee = "the other" if game.cfg[rules.PAYMENT] == OPPONENT else "the bank"
    end = 0 if seat == 0 else game.cfg[rules.LENGTH]
    hidden = "" if game.cfg[rules.KNOW] else " The other's money and bids stay hidden."
    broke = " Who has no money has lost." if game.cfg[rules.BROKE] == rules.LOSE else ""
    return (
        "Each round both bid in secret. The higher bid pulls the bottle one step to its bidder, "
        f"who pays it to {payee}. {tie_rule(int(game.cfg[rules.TIE]))} "
        f"Bring the bottle to {end} to win.{broke}{hidden}"
    )


WORDS = Words(
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
