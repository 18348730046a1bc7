"""The classical bots of Twenty-nine: random play, the rules of the winners, and a cheater."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from bidarena.baselines.search.bots import mcts
from bidarena.envs.arguments import flag
from bidarena.envs.bits import count, highest, lowest, nth
from bidarena.envs.game import Cfg, Game, Mask, Params, Rng, State
from bidarena.envs.registry import Bot
from bidarena.envs.registry.aids import NO_BOOK
from bidarena.envs.rng import below
from bidarena.envs.twentynine.rules.auction import points_in
from bidarena.envs.twentynine.rules.layout import (
    ALL_CARDS,
    BIDDING,
    NOBODY,
    PLAYING,
    SEATS,
    SUIT,
    TRUMPING,
    A,
    S,
    bid_of,
    suit_of,
    worth,
)
from bidarena.envs.twentynine.rules.play import led_suit, table_card
from bidarena.envs.twentynine.rules.turns import options
from bidarena.envs.twentynine.rules.view import known_trump

BIDS = 0x1FFF << A.bid_16  # the actions that bid 16 to 28


def random(game: Game) -> Bot:
    """Plays every legal action with equal probability."""
    return Bot("random", _random_act)


def _random_act(
    cfg: Cfg, params: Params, state: State, player: int, rng: Rng, scratch: Mask
) -> int:
    allowed = options(cfg, state)
    return nth(allowed, below(rng, count(allowed)))


def rules(game: Game, jump: bool = False) -> Bot:
    """Bids, chooses the trump and plays cards by the rules that the winning team began with.

    It bids as little as it must, up to what its first four cards are worth by the team's formula;
    with `jump` it bids that much at once. It wins a trick if it can, else plays its least card. If
    its partner is winning, it plays its most valuable card, or its least trump if it has only
    trumps. It reveals the trump only when the cards on the table have points and its partner is
    not winning. Of the house rules it uses marriages only: it never doubles, plays a single hand or
    asks for a redeal.

    Args:
        game: Twenty-nine.
        jump: bid as much as the cards are worth at once.
    """
    return Bot("rules", rules_act, np.array([float(flag("jump", jump))]), deterministic=True)


def rules_act(cfg: Cfg, params: Params, state: State, player: int, rng: Rng, scratch: Mask) -> int:
    """Return the action of the bot `rules`; `params[0]` is 1 if it jumps."""
    allowed = options(cfg, state)
    if allowed & (allowed - 1) == 0:
        return lowest(allowed)
    if state[S.phase] == PLAYING:
        return _play(state, player, allowed)
    return _before_play(state, player, allowed, params[0] > 0)


def formula(cfg: Cfg, state: State, player: int) -> int:
    """Return the action of `rules` before the play, and -1 in the play.

    This is a book for searches. All bots of the winning team bid and chose the trump this way.
    """
    if state[S.phase] == PLAYING:
        return -1
    return _before_play(state, player, options(cfg, state), False)


def _before_play(state: State, player: int, allowed: int, jump: bool) -> int:
    """Return the call or the trump that `rules` chooses; it passes all other questions."""
    if state[S.phase] == BIDDING:
        return _bid(state[S.hands + player], allowed, jump)
    if state[S.phase] == TRUMPING:
        return A.choose + best_suit(state[S.hands + player])
    return A.pass_


def cheater(game: Game, iterations: int = 1000, playout: str = "random") -> Bot:
    """Sees all hands, the cards still to come and the trump: for upper bounds only, never fair.

    It is a search that guesses nothing and expects all players to see everything; it searches its
    bids too, and asks no book. It plays only where it is named: tournaments of all bots leave it
    out.

    Args:
        game: Twenty-nine.
        iterations: playouts for each decision.
        playout: as for `mcts`.
    """
    open_game = replace(game, hidden=False)
    bot = mcts(open_game, iterations=iterations, playout=playout, book=NO_BOOK)
    return replace(bot, name="cheater", more={**bot.more, "determinize": _look}, fair=False)


def _look(cfg: Cfg, state: State, player: int, rng: Rng) -> None:
    """Take the place of `determinize` and change nothing, so that all that is hidden is seen."""


# --- bidding -------------------------------------------------------------------------------------


def best_suit(hand: int) -> int:
    """Return the longest suit; of equally long ones the one with more points, then higher cards."""
    best = 0
    best_rank = -1
    for suit in range(4):
        cards = (hand >> (8 * suit)) & SUIT
        rank = (count(cards) << 16) + (points_in(cards) << 8) + cards
        if rank > best_rank:
            best = suit
            best_rank = rank
    return best


def estimate(hand: int) -> int:
    """Return the highest bid that four cards are worth.

    It is the sum of 13, the length of the best suit, half of its points and 34 % of all other
    points, rounded.
    """
    suit = hand & (SUIT << (8 * best_suit(hand)))
    hundredths = 100 * (13 + count(suit)) + 50 * points_in(suit) + 34 * points_in(hand ^ suit)
    return (hundredths + 50) // 100


def _bid(hand: int, allowed: int, jump: bool) -> int:
    """Return the least bid, or with `jump` the highest, that the hand is worth; else a pass."""
    bids = allowed & BIDS
    if bids == 0:
        return A.pass_ if (allowed >> A.pass_) & 1 else lowest(allowed)
    least = lowest(bids)
    limit = estimate(hand)
    if (allowed >> A.pass_) & 1 and bid_of(least) > limit:
        return A.pass_
    if jump:
        return highest(bids & ((2 << (A.bid_16 + max(limit, bid_of(least)) - 16)) - 1))
    return least


# --- card play -----------------------------------------------------------------------------------


def _play(state: State, player: int, allowed: int) -> int:
    """Return a card, a reveal or a marriage."""
    if (allowed >> A.declare) & 1:
        return A.declare
    cards = allowed & ALL_CARDS
    trump = known_trump(state, player)
    trumps = 0 if trump == NOBODY or state[S.single] != NOBODY else SUIT << (8 * trump)
    if state[S.in_trick] == 0:
        return _lead(state, player, cards, trumps)
    partner_wins = state[S.best_seat] == (player + 2) % SEATS
    if (allowed >> A.reveal) & 1 and state[S.table_points] > 0 and not partner_wins:
        return A.reveal
    if partner_wins:
        return _give(cards, trumps)
    following = cards & (SUIT << (8 * led_suit(state)))
    if following == 0 and state[S.table_points] == 0:
        return least(cards, trumps)  # nothing here to spend a trump on
    return _win_or_least(state, cards, trumps)


def _lead(state: State, player: int, cards: int, trumps: int) -> int:
    """Return the most valuable card that no unseen card of its suit beats, trumps last.

    Without such a card, return the least card.
    """
    unseen = ALL_CARDS ^ state[S.hands + player] ^ played(state)
    best = NOBODY
    best_rank = 0
    for suit in range(4):
        own = cards & (SUIT << (8 * suit))
        if own:
            top = highest(own)
            master = unseen & (SUIT << (8 * suit)) & -(2 << top) == 0
            rank = 2 * worth(top) + (0 if own & trumps else 1)
            if master and worth(top) > 0 and rank > best_rank:
                best = top
                best_rank = rank
    return best if best != NOBODY else least(cards, trumps)


def played(state: State) -> int:
    """Return all cards played in this deal as a bit mask."""
    cards = 0
    for trick in range(min(state[S.trick] + 1, 8)):
        for seat in range(SEATS):
            card = table_card(state[S.tricks + trick], seat)
            if card != NOBODY:
                cards |= 1 << card
    return cards


def _give(cards: int, trumps: int) -> int:
    """Return the most valuable card that is no trump; with trumps only, the least of them."""
    plain = cards & ~trumps
    if plain == 0:
        return least(cards, trumps)
    best = NOBODY
    while plain:
        card = lowest(plain)
        plain &= plain - 1
        if best == NOBODY or worth(card) > worth(best):
            best = card
    return best


def _win_or_least(state: State, cards: int, trumps: int) -> int:
    """Return the strongest card that wins in the suit, else the least trump that wins.

    If no card wins, return the least card.
    """
    best = state[S.best_card]
    suit = SUIT << (8 * suit_of(best))
    higher = cards & suit & -(2 << best)
    powerful = trumps if state[S.revealed] else 0
    if higher:
        return lowest(higher) if suit == powerful else highest(higher)
    ruffs = cards & powerful
    if ruffs and suit != powerful:
        return lowest(ruffs)
    return least(cards, trumps)


def least(cards: int, trumps: int) -> int:
    """Return the card of least strength, which has the fewest points; a trump only if it must."""
    plain = cards & ~trumps
    if plain == 0:
        plain = cards
    best = NOBODY
    while plain:
        card = lowest(plain)
        plain &= plain - 1
        if best == NOBODY or card & 7 < best & 7:
            best = card
    return best
