"""Phrases for games of secret bids: how a bid is typed, and how a round went."""

from __future__ import annotations

import re

from bidarena.envs.bidding import ALTERNATE, COIN
from bidarena.envs.game import Game, State
from bidarena.envs.phrases.phrasebook import Names, Viewer, in_order

MOST_DIGITS = 9  # of a typed bid; a longer one becomes 10**9, which no player has


def read_bid(text: str) -> int:
    """Return the bid in a text such as "12", "$12" or "bid 12"; raise ValueError for others."""
    found = re.fullmatch(r"(?:bid\s*)?\$?\s*(-?)0*(\d+)", text.strip().lower())
    if found is None:
        raise ValueError(f"{text!r} is no bid: type a whole number of dollars, such as 12")
    amount = int(found[2][:MOST_DIGITS]) if len(found[2]) <= MOST_DIGITS else 10**MOST_DIGITS
    return -amount if found[1] else amount


def refuse_bid(bid: int, money: int) -> str:
    """Return why a player who has `money` may not bid `bid`."""
    if money == 0:
        return f"a bid of {bid} is out of range: you have no money, so you can only bid 0"
    if bid == 0:
        return f"a bid of 0 is only for a player without money: bid from 1 to {money}"
    return f"a bid of {bid} is out of range: you have ${money}, so bid from 1 to {money}"


def tie_rule(tie: int) -> str:
    """Return a sentence that says who wins a tie; `tie` is the index of the rule in TIES."""
    if tie == COIN:
        return "A coin decides ties."
    passes = ", which then passes to the other" if tie == ALTERNATE else ", which never passes"
    return f"Ties go to the draw advantage (◆){passes}."


def offer_bids(actions: list[int]) -> str:
    """Return the legal bids in one line."""
    if actions == [0]:
        return "bid 0: you have no money"
    return f"bid from {actions[0]} to {actions[-1]}"


def round_story(
    game: Game,
    before: State,
    after: State,
    bids: tuple[int | None, int | None],
    seat: Viewer,
    names: Names,
) -> str:
    """Return how a round went, as the viewer may know it.

    Args:
        game: has the options `payment` and `tie`, and `advantage` and `last_winner` in its state.
        before: the state before the bids were opened.
        after: the state after it.
        bids: both bids, the viewer's first; None: hidden from the viewer.
        seat: the viewer's; None: the viewer sees everything.
        names: what each player is called.
    """
    order = in_order(game, seat)
    said = [
        f"{names[player]} bid {bid}" if bid is not None else f"{names[player]} made a hidden bid"
        for player, bid in zip(order, bids, strict=True)
    ]
    (holder,), (winner,) = before[game.state["advantage"]], after[game.state["last_winner"]]
    tie, price = game.options["tie"], bids[order.index(winner)]
    paid = ""
    if price is not None:
        payee = "the bank" if game.options["payment"] == "bank" else names[1 - winner]
        paid = f" and paid ${price} to {payee}"
    tied = bids[0] == bids[1]  # never two Nones: players know their own bids
    how = ""
    if tied:
        how = " the tie by a coin" if tie == "coin" else " the tie by the draw advantage"
    story = f"{', '.join(said)}: {names[winner]} won{how}{paid}"
    if tied and tie == "alternate":
        story += f"; the draw advantage passed to {names[1 - holder]}"
    return story


def bidding_columns(game: Game, seat: Viewer, names: Names, *between: str) -> list[str]:
    """Return the headings of the table of rounds: bids, winner, those `between`, money."""
    both = [names[player] for player in in_order(game, seat)]
    return [
        *("round", f"{both[0]} bid", f"{both[1]} bid", "won by", *between),
        *(f"{who} {'have' if who == 'you' else 'has'}" for who in both),
    ]
