"""What people say in games of secret bids: how a bid is typed, and how a round went."""

from __future__ import annotations

import re

from bidarena.envs.bidding import ALTERNATE, COIN

MOST_DIGITS = 9


def read_bid(text: str) -> int:
    """The bid in "12", "$12" or "bid 12"."""
    found = re.fullmatch(r"(?:bid\s*)?\$?\s*(-?)0*(\d+)", text.strip().lower())
    if found is None:
        raise ValueError(f"{text!r} is no bid: type a whole number of dollars, such as 12")
    amount = int(found[2][:MOST_DIGITS]) if len(found[2]) <= MOST_DIGITS else 10**MOST_DIGITS
    return -amount if found[1] else amount


def refuse_bid(bid: int, money: int) -> str:
    """Why somebody with so much money may not bid that."""
    if money == 0:
        return f"a bid of {bid} is out of range: you have no money, so you can only bid 0"
    if bid == 0:
        return f"a bid of 0 is only for a player without money: bid from 1 to {money}"
    return f"a bid of {bid} is out of range: you have ${money}, so bid from 1 to {money}"


def tie_rule(tie: int) -> str:
    """Who wins a tie, as a sentence."""
    if tie == COIN:
        return "A coin decides ties."
    passes = ", which then passes to the other" if tie == ALTERNATE else ", which never passes"
    return f"Ties go to the draw advantage (◆){passes}."


def offer_bids(actions: list[int]) -> str:
    """The bids one can make."""
    if actions == [0]:
        return "bid 0: you have no money"
    return f"bid from {actions[0]} to {actions[-1]}"


def round_story(
    bids: tuple[int | None, int | None],
    winner: int,
    names: tuple[str, str],
    payee: str,
    tie: int,
    holder: int,
) -> str:
    """How a round went: of the viewer and of the other, whose bid may be None: hidden.

    Args:
        bids: of both.
        winner: 0 or 1, which of the two won.
        names: of both.
        payee: who is paid, "" for the loser of the round.
        tie: the rule.
        holder: 0 or 1, who held the draw advantage before; below 0: nobody.
    """
    said = [
        f"{name} bid {bid}" if bid is not None else f"{name} made a hidden bid"
        for name, bid in zip(names, bids, strict=True)
    ]
    price, loser = bids[winner], names[1 - winner]
    paid = f" and paid ${price} to {payee or loser}" if price is not None else ""
    tied = bids[0] == bids[1]  # two hidden bids never meet here: the viewer knows his own
    how = ""
    if tied:
        how = " the tie by a coin" if tie == COIN else " the tie by the draw advantage"
    story = f"{', '.join(said)}: {names[winner]} won{how}{paid}"
    if tied and tie == ALTERNATE and holder >= 0:
        story += f"; the draw advantage passed to {names[1 - holder]}"
    return story
