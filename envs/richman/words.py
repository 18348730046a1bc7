"""RichmanGraph in words: bids, ways of the token, how a round went."""

from __future__ import annotations

import re

from bidarena.envs.bidding import OPPONENT
from bidarena.envs.bidding_words import offer_bids, read_bid, refuse_bid, round_story, tie_rule
from bidarena.envs.game import Game, State
from bidarena.envs.richman import rules
from bidarena.envs.richman.env import graph_of
from bidarena.envs.words import Names, Viewer, Words, in_order, mover_of


def _first_way(game: Game) -> int:
    """The action that moves the token to vertex 0; lower ones are bids."""
    return int(game.cfg[rules.LARGEST]) + 1


def name(game: Game, state: State, action: int) -> str:
    """A bid, or a way."""
    ways = _first_way(game)
    return f"bid {action}" if action < ways else f"to {action - ways}"


def read(game: Game, state: State, text: str) -> int:
    """A bid or a vertex as typed: whichever is asked for."""
    if state[rules.CHOOSER] < 0:
        bid = read_bid(text)
        # numbers beyond all bids must not be taken for ways
        return bid if bid < _first_way(game) else game.actions + bid
    found = re.fullmatch(r"(?:to\s+|move\s+)*(\d{1,9})", text.strip().lower())
    if found is None:
        raise ValueError(
            f"{text!r} is no vertex: type the number of one, such as {_ways(game, state)[0]}"
        )
    return _first_way(game) + int(found[1])


def _ways(game: Game, state: State) -> list[int]:
    return sorted(graph_of(game)[int(state[rules.VERTEX])])


def refuse(game: Game, state: State, action: int) -> str:
    """Why the player to move may not do that."""
    if state[rules.CHOOSER] < 0:
        bid = action if action < game.actions else action - game.actions
        return refuse_bid(bid, int(state[rules.MONEY + mover_of(game, state)]))
    ways = ", ".join(map(str, _ways(game, state)))
    to = action - _first_way(game)
    return f"no edge leads from {state[rules.VERTEX]} to {to}: choose one of {ways}"


def offer(game: Game, state: State, actions: list[int]) -> str:
    """What one can bid, or where the token can go."""
    if state[rules.CHOOSER] < 0:
        return offer_bids(actions)
    return "move the token to " + ", ".join(str(way) for way in _ways(game, state))


def tell(game: Game, before: State, action: int, after: State, seat: Viewer, names: Names) -> str:
    """How the bids were decided, and where the token went."""
    chooser = int(before[rules.CHOOSER])
    if chooser >= 0:
        way = f"from {before[rules.VERTEX]} to {after[rules.VERTEX]}"
        return f"{names[chooser]} moved the token {way}."
    if after[rules.DECISION] == before[rules.DECISION]:
        return ""
    first, second = in_order(game, seat)
    holder = int(before[rules.ADVANTAGE])
    story = round_story(
        (int(after[rules.LAST_BIDS + first]), int(after[rules.LAST_BIDS + second])),
        int(after[rules.LAST_WINNER] != first),
        (names[first], names[second]),
        "" if game.cfg[rules.PAYMENT] == OPPONENT else "the bank",
        int(game.cfg[rules.TIE]),
        holder if holder < 0 else int(holder != first),
    )
    forced = f"; the token went to {after[rules.VERTEX]}" * bool(after[rules.CHOOSER] < 0)
    return f"round {before[rules.ROUND] + 1}: {story}{forced}."


def columns(game: Game, seat: Viewer, names: Names) -> list[str]:
    """Of the table of rounds."""
    both = [names[player] for player in in_order(game, seat)]
    return [
        *("round", f"{both[0]} bid", f"{both[1]} bid", "won by", "token at"),
        *(f"{who} {'have' if who == 'you' else 'has'}" for who in both),
    ]


def row(game: Game, before: State, after: State, seat: Viewer, names: Names) -> list[str] | None:
    """A round, once the token has moved."""
    if after[rules.ROUND] == before[rules.ROUND]:
        return None
    order = in_order(game, seat)
    bids = [int(after[rules.LAST_BIDS + player]) for player in order]
    mark = " (tie)" if bids[0] == bids[1] else ""
    return [
        str(after[rules.ROUND]),
        *map(str, bids),
        names[int(after[rules.LAST_WINNER])] + mark,
        str(after[rules.VERTEX]),
        *(f"${after[rules.MONEY + player]}" for player in order),
    ]


def aim(game: Game, seat: int) -> str:
    """The game in a few sentences, under the rules in force."""
    payee = "the other" if game.cfg[rules.PAYMENT] == OPPONENT else "the bank"
    return (
        "Each round both bid in secret. The higher bidder pays his bid to "
        f"{payee} and moves the token along an edge. {tie_rule(int(game.cfg[rules.TIE]))} "
        f"Bring the token to {game.cfg[rules.TARGETS + seat]} to win."
    )


WORDS = Words(
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
