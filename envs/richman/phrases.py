"""Phrases of RichmanGraph: bids, moves of the token, how a round went."""

from __future__ import annotations

import re

from bidarena.envs.bidding import OPPONENT
from bidarena.envs.game import Game, State
from bidarena.envs.phrases import Names, Phrasebook, Viewer, in_order, mover_of
from bidarena.envs.phrases.bidding import (
    bidding_columns,
    offer_bids,
    read_bid,
    refuse_bid,
    round_story,
    tie_rule,
)
from bidarena.envs.richman.env import graph_of
from bidarena.envs.richman.rules import C, S


def first_way(game: Game) -> int:
    """Return the action that moves the token to vertex 0; lower ones are bids."""
    return int(game.cfg[C.largest]) + 1


def name(game: Game, state: State, action: int) -> str:
    """Return what a bid or a move of the token is called."""
    ways = first_way(game)
    return f"bid {action}" if action < ways else f"to {action - ways}"


def read(game: Game, state: State, text: str) -> int:
    """Return the action for a typed bid, or vertex when the token moves; else raise ValueError."""
    if state[S.chooser] < 0:
        bid = read_bid(text)
        # numbers beyond all bids must not be taken for moves of the token
        return bid if bid < first_way(game) else game.actions + bid
    found = re.fullmatch(r"(?:to\s+|move\s+)*(\d{1,9})", text.strip().lower())
    if found is None:
        raise ValueError(
            f"{text!r} is no vertex: type the number of one, such as {_ways(game, state)[0]}"
        )
    return first_way(game) + int(found[1])


def _ways(game: Game, state: State) -> list[int]:
    """Return the vertices to which the token can move."""
    return sorted(graph_of(game)[int(state[S.vertex])])


def refuse(game: Game, state: State, action: int) -> str:
    """Return why the player to move may not choose `action`."""
    if state[S.chooser] < 0:
        bid = action if action < game.actions else action - game.actions
        return refuse_bid(bid, int(state[S.money + mover_of(game, state)]))
    ways = ", ".join(map(str, _ways(game, state)))
    to = action - first_way(game)
    return f"no edge leads from {state[S.vertex]} to {to}: choose one of {ways}"


def offer(game: Game, state: State, actions: list[int]) -> str:
    """Return in one line the legal bids, or the vertices to which the token can move."""
    if state[S.chooser] < 0:
        return offer_bids(actions)
    return "move the token to " + ", ".join(str(way) for way in _ways(game, state))


def tell(game: Game, before: State, action: int, after: State, seat: Viewer, names: Names) -> str:
    """Return how the bids were decided, or where the token went; "" when there is no news."""
    chooser = int(before[S.chooser])
    if chooser >= 0:
        way = f"from {before[S.vertex]} to {after[S.vertex]}"
        return f"{names[chooser]} moved the token {way}."
    if after[S.decision] == before[S.decision]:
        return ""
    own, other = (int(after[S.last_bids + player]) for player in in_order(game, seat))
    story = round_story(game, before, after, (own, other), seat, names)
    forced = f"; the token went to {after[S.vertex]}" * bool(after[S.chooser] < 0)
    return f"round {before[S.round] + 1}: {story}{forced}."


def columns(game: Game, seat: Viewer, names: Names) -> list[str]:
    """Return the headings of the table of rounds."""
    return bidding_columns(game, seat, names, "token at")


def row(game: Game, before: State, after: State, seat: Viewer, names: Names) -> list[str] | None:
    """Return a round: bids, winner, token and money; None before the token has moved."""
    if after[S.round] == before[S.round]:
        return None
    order = in_order(game, seat)
    bids = [int(after[S.last_bids + player]) for player in order]
    mark = " (tie)" if bids[0] == bids[1] else ""
    return [
        str(after[S.round]),
        *map(str, bids),
        names[int(after[S.last_winner])] + mark,
        str(after[S.vertex]),
        *(f"${after[S.money + player]}" for player in order),
    ]


def aim(game: Game, seat: int) -> str:
    """Return the aim of the game in a few sentences, under the rules in force."""
    payee = "the other" if game.cfg[C.payment] == OPPONENT else "the bank"
    return (
        "Each round both bid in secret. The higher bidder pays their bid to "
        f"{payee} and moves the token along an edge. {tie_rule(int(game.cfg[C.tie]))} "
        f"Bring the token to {game.cfg[C.targets + seat]} to win."
    )


PHRASES = Phrasebook(
    name=name,
    read=read,
    refuse=refuse,
    tell=tell,
    offer=offer,
    columns=columns,
    row=row,
    typed="a whole number of dollars, such as 12; then the number of a vertex",
    aim=aim,
)
