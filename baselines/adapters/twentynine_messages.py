"""The competition's JSON for Twenty-nine: questions written from a state, answers read as actions.

A question holds what the player it is put to may know and nothing else. No value is ever null or
negative, because bots of the competition read numbers as unsigned.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bidarena.envs.game import Game, State
from bidarena.envs.twentynine import history
from bidarena.envs.twentynine.layout import (
    BIDDER,
    BIDDING,
    BIDS,
    CHALLENGER,
    CHOOSE,
    CONTRACT,
    DEFENDER,
    HANDS,
    NOBODY,
    PASS,
    PHASE,
    POINTS,
    REVEAL,
    REVEALED,
    REVEALER,
    SUITS,
    TRUMPING,
    bid_action,
    card_code,
    card_of,
)
from bidarena.envs.twentynine.view import known_trump

CLOCK = 1500.0  # milliseconds that a player has for all questions of a deal
IDS = ("seat0", "seat1", "seat2", "seat3")

# Rules that the protocol has no words for: a decision it cannot put, or one that the bots of the
# competition would not expect.
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
    """Refuse another game, and house rules of which the competition's protocol knows nothing."""
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
    state: State, player: int, remaining: float = CLOCK, ids: Sequence[str] = IDS
) -> tuple[str, dict[str, Any]]:
    """The path and the body of the question that `player`, who is to move, has to answer.

    Args:
        state: of a game whose rules `check_rules` accepts.
        player: the seat to move.
        remaining: milliseconds left on this player's clock.
        ids: what the seats are called, in the order of play.
    """
    body: dict[str, Any] = {
        "playerId": ids[player],
        "playerIds": list(ids),
        "timeRemaining": round(remaining, 6),
        "cards": [card_code(card) for card in cards_in(int(state[HANDS + player]))],
        "bidHistory": [[ids[seat], bid] for seat, bid in history.calls(state)],
    }
    if state[PHASE] == BIDDING:
        body["bidState"] = _bid_state(state, player, ids)
        return "/bid", body
    if state[PHASE] == TRUMPING:
        return "/chooseTrump", body

    tricks = history.tricks(state)
    finished = [trick for trick in tricks if trick.finished]
    table = [card for trick in tricks if not trick.finished for _, card in trick.cards]
    trump, revealed = int(known_trump(state, player)), int(state[REVEALED])
    body["teams"] = [
        {
            "players": [ids[side], ids[side + 2]],
            "bid": int(state[CONTRACT]) if state[BIDDER] % 2 == side else 0,
            "won": int(state[POINTS + side]),
        }
        for side in range(2)
    ]
    body["played"] = [card_code(card) for card in table]
    body["handsHistory"] = [
        [ids[trick.leader], [card_code(card) for _, card in trick.cards], ids[trick.winner]]
        for trick in finished
    ]
    body["trumpSuit"] = False if trump == NOBODY else SUITS[trump]
    body["trumpRevealed"] = False
    if revealed:
        body["trumpRevealed"] = {"hand": revealed, "playerId": ids[int(state[REVEALER])]}
    return "/play", body


def _bid_state(state: State, player: int, ids: Sequence[str]) -> dict[str, Any]:
    defender, challenger = int(state[DEFENDER]), int(state[CHALLENGER])
    if challenger == NOBODY:
        # Everybody has passed without a bid. There is no duel any more, and null may not be sent:
        # the last one is shown again, which this seat has won as the challenger.
        defender, challenger = history.calls(state)[-1][0], player
    return {
        "defenderId": ids[defender],
        "challengerId": ids[challenger],
        "defenderBid": int(state[BIDS + defender]),
        "challengerBid": int(state[BIDS + challenger]),
    }


def cards_in(cards: int) -> list[int]:
    """A bit mask as a list."""
    return [card for card in range(32) if cards >> card & 1]


# --- answers -------------------------------------------------------------------------------------


def answer_of(action: int) -> dict[str, Any]:
    """An action as the competition wants it to be answered."""
    if action < PASS:
        return {"card": card_code(action)}
    if action == PASS:
        return {"bid": 0}
    if action == REVEAL:
        return {"revealTrump": True}
    if CHOOSE <= action < CHOOSE + len(SUITS):
        return {"suit": SUITS[action - CHOOSE]}
    return {"bid": action - bid_action(16) + 16}


def read_answer(path: str, answer: Any, legal: Sequence[int], bidder: bool) -> tuple[int, ...]:
    """The actions that an answer means: one, or the reveal and a card that goes with it.

    Bots of the competition are not all neat, and this is forgiven: keys that nobody asked for,
    numbers such as 17.0, a pass where a bid is compulsory (it becomes that bid), and a reveal with
    a card from a player who is not the bidder (the card is dropped; he is asked again, now knowing
    the trump). The card that comes with a reveal is checked when it is its turn.

    Raises:
        ValueError: if it means nothing, or something that is not allowed; the message tells what.
    """
    if not isinstance(answer, Mapping):
        raise ValueError(f"answered {_short(answer)}, expected a JSON object")
    if path == "/bid":
        action = _bid(answer, legal)
    elif path == "/chooseTrump":
        suit = answer.get("suit")
        if not isinstance(suit, str) or len(suit) != 1 or suit not in SUITS:
            raise ValueError(f'answered {_short(answer)}, expected {{"suit": one of S D H C}}')
        action = CHOOSE + SUITS.index(suit)
    else:
        reveals = answer.get("revealTrump")
        if reveals not in (None, True, False):
            raise ValueError(f"answered revealTrump={_short(reveals)}, expected true")
        if reveals:
            if REVEAL not in legal:
                raise ValueError("asked for the trump where that is not allowed")
            card = answer.get("card") if bidder else None
            return (REVEAL,) if card is None else (REVEAL, card_of(card))
        if "card" not in answer:
            raise ValueError(f'answered {_short(answer)}, expected {{"card": "JS"}} or the like')
        action = card_of(answer["card"])
    check_allowed(action, legal)
    return (action,)


def _bid(answer: Mapping[str, Any], legal: Sequence[int]) -> int:
    bid = answer.get("bid")
    whole = isinstance(bid, int | float) and not isinstance(bid, bool) and bid == bid // 1
    if not whole or bid is None or not (bid == 0 or 16 <= bid <= 28):
        raise ValueError(f'answered {_short(answer)}, expected {{"bid": 0 or 16 to 28}}')
    if bid == 0:
        return PASS if PASS in legal else legal[0]  # what a compulsory bid is
    return bid_action(int(bid))


def check_allowed(action: int, legal: Sequence[int]) -> None:
    """Refuse an action that is not legal."""
    if action not in legal:
        allowed = ", ".join(str(next(iter(answer_of(one).values()))) for one in legal)
        said = next(iter(answer_of(action).values()))
        raise ValueError(f"answered {said}, which is not allowed; allowed: {allowed}")


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."
