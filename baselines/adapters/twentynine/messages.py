"""The competition's JSON for Twenty-nine: questions from states, and actions from answers.

A question holds only what the player who is asked may know. No value is ever null or negative,
because bots of the competition read numbers as unsigned.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bidarena.envs.game import Game, State
from bidarena.envs.twentynine.record import history
from bidarena.envs.twentynine.rules.layout import (
    BIDDING,
    NOBODY,
    SEATS,
    SUITS,
    TRUMPING,
    A,
    S,
    bid_action,
    card_code,
    card_of,
)
from bidarena.envs.twentynine.rules.view import known_trump

CLOCK = 1500.0  # milliseconds that a player has for all questions of a deal
IDS = ("seat0", "seat1", "seat2", "seat3")

# Options that must have these values. With others there are decisions that the protocol cannot ask
# for, or that the bots of the competition do not expect.
_FIXED = {
    "auction": "duel",
    "min_bid": 16,
    "all_pass": "last_takes",
    "last_trick": 0,
    "marriage": False,
    "doubling": False,
    "single_hand": False,
    "seventh_card": False,
    "redeal": None,
}


def check_rules(game: Game) -> None:
    """Raise ValueError unless this is Twenty-nine, by rules that the protocol can express."""
    if game.name != "twentynine":
        raise ValueError(f"game={game.name!r}: the competition's protocol is for twentynine only")
    for rule, value in _FIXED.items():
        if game.options[rule] != value:
            raise ValueError(
                f"{rule}={game.options[rule]!r}: the competition's protocol cannot express this; "
                f"expected {value!r}"
            )
    if game.options["max_bid"] not in (None, 28):
        raise ValueError(
            f"max_bid={game.options['max_bid']!r}: the competition's protocol cannot express this; "
            "expected 28"
        )


# --- questions -----------------------------------------------------------------------------------


def question(
    state: State,
    player: int,
    remaining: float = CLOCK,
    ids: Sequence[str] = IDS,
    shift: int = 0,
) -> tuple[str, dict[str, Any]]:
    """Return the path and the body of the question to `player`.

    Args:
        state: a state of a game whose rules `check_rules` accepts.
        player: the seat to move.
        remaining: milliseconds left on this player's clock.
        ids: the names of the seats, in the order of play.
        shift: the place of seat 0, which speaks first, in the list of players.
    """
    order = [ids[(place - shift) % SEATS] for place in range(SEATS)]
    body: dict[str, Any] = {
        "playerId": ids[player],
        "playerIds": order,
        "timeRemaining": round(remaining, 6),
        "cards": [card_code(card) for card in cards_in(int(state[S.hands + player]))],
        "bidHistory": [[ids[seat], bid] for seat, bid in history.calls(state)],
    }
    if state[S.phase] == BIDDING:
        body["bidState"] = _bid_state(state, player, ids)
        return "/bid", body
    if state[S.phase] == TRUMPING:
        return "/chooseTrump", body

    tricks = history.tricks(state)
    finished = [trick for trick in tricks if trick.finished]
    table = [card for trick in tricks if not trick.finished for _, card in trick.cards]
    trump, revealed = int(known_trump(state, player)), int(state[S.revealed])
    body["teams"] = [
        {
            "players": [order[place], order[place + 2]],
            "bid": int(state[S.contract]) if (state[S.bidder] + shift) % 2 == place else 0,
            "won": int(state[S.points + (place + shift) % 2]),
        }
        for place in range(2)
    ]
    body["played"] = [card_code(card) for card in table]
    body["handsHistory"] = [
        [ids[trick.leader], [card_code(card) for _, card in trick.cards], ids[trick.winner]]
        for trick in finished
    ]
    body["trumpSuit"] = False if trump == NOBODY else SUITS[trump]
    body["trumpRevealed"] = False
    if revealed:
        body["trumpRevealed"] = {"hand": revealed, "playerId": ids[int(state[S.revealer])]}
    return "/play", body


def _bid_state(state: State, player: int, ids: Sequence[str]) -> dict[str, Any]:
    """Return defender, challenger and their bids."""
    defender, challenger = int(state[S.defender]), int(state[S.challenger])
    if challenger == NOBODY:
        # All others have passed without a bid. There is no duel any more, but null may not be
        # sent. So the last duel is shown again, which this seat has won as the challenger.
        defender, challenger = history.calls(state)[-1][0], player
    return {
        "defenderId": ids[defender],
        "challengerId": ids[challenger],
        "defenderBid": int(state[S.bids + defender]),
        "challengerBid": int(state[S.bids + challenger]),
    }


def cards_in(cards: int) -> list[int]:
    """Return the cards of a bit mask as a list, the lowest number first."""
    return [card for card in range(32) if cards >> card & 1]


# --- answers -------------------------------------------------------------------------------------


def answer_of(action: int) -> dict[str, Any]:
    """Return the answer that means an action."""
    if action < A.pass_:
        return {"card": card_code(action)}
    if action == A.pass_:
        return {"bid": 0}
    if action == A.reveal:
        return {"revealTrump": True}
    if A.choose <= action < A.choose + len(SUITS):
        return {"suit": SUITS[action - A.choose]}
    return {"bid": action - bid_action(16) + 16}


def read_answer(path: str, answer: Any, legal: Sequence[int], bidder: bool) -> tuple[int, ...]:
    """Return the actions that an answer means: one, or a reveal and the card after it.

    Some mistakes are forgiven: unknown keys; numbers such as 17.0; a pass where a bid is compulsory
    (it becomes that bid); a card with the reveal of a player who is not the bidder (it is ignored,
    and the player is asked again, now knowing the trump). The card after a reveal is not checked
    here.

    Args:
        path: "/bid", "/chooseTrump" or "/play".
        answer: the body of the answer, parsed from JSON.
        legal: the legal actions.
        bidder: whether the player is the bidder.

    Raises:
        ValueError: if the answer has no meaning or is not allowed; the message says why.
    """
    if not isinstance(answer, Mapping):
        raise ValueError(f"answered {_short(answer)}, expected a JSON object")
    if path == "/bid":
        action = _bid(answer, legal)
    elif path == "/chooseTrump":
        suit = answer.get("suit")
        if not isinstance(suit, str) or len(suit) != 1 or suit not in SUITS:
            raise ValueError(f'answered {_short(answer)}, expected {{"suit": one of S D H C}}')
        action = A.choose + SUITS.index(suit)
    else:
        reveals = answer.get("revealTrump")
        if reveals not in (None, True, False):
            raise ValueError(f"answered revealTrump={_short(reveals)}, expected true")
        if reveals:
            if A.reveal not in legal:
                raise ValueError("asked for the trump where that is not allowed")
            card = answer.get("card") if bidder else None
            return (A.reveal,) if card is None else (A.reveal, card_of(card))
        if "card" not in answer:
            raise ValueError(f'answered {_short(answer)}, expected {{"card": "JS"}} or the like')
        action = card_of(answer["card"])
    check_allowed(action, legal)
    return (action,)


def _bid(answer: Mapping[str, Any], legal: Sequence[int]) -> int:
    """Return the bid or pass in an answer; raise ValueError if there is none."""
    bid = answer.get("bid")
    whole = isinstance(bid, int | float) and not isinstance(bid, bool) and bid == bid // 1
    if not whole or bid is None or not (bid == 0 or 16 <= bid <= 28):
        raise ValueError(f'answered {_short(answer)}, expected {{"bid": 0 or 16 to 28}}')
    if bid == 0:
        return A.pass_ if A.pass_ in legal else legal[0]  # the compulsory bid
    return bid_action(int(bid))


def check_allowed(action: int, legal: Sequence[int]) -> None:
    """Raise ValueError, which lists the legal actions, unless the action is one of them."""
    if action not in legal:
        allowed = ", ".join(str(next(iter(answer_of(one).values()))) for one in legal)
        said = next(iter(answer_of(action).values()))
        raise ValueError(f"answered {said}, which is not allowed; allowed: {allowed}")


def _short(value: Any) -> str:
    """Return the value for an error message, cut to 80 characters."""
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."
