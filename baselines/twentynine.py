"""The classical bots of Twenty-nine: random play, and the rules of the competition's winners."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from bidarena.baselines.search.bots import mcts
from bidarena.envs.bits import count, highest, lowest, nth
from bidarena.envs.check import flag
from bidarena.envs.game import Cfg, Game, Mask, Params, Rng, State
from bidarena.envs.registry import Bot
from bidarena.envs.rng import below
from bidarena.envs.twentynine.auction import points_in
from bidarena.envs.twentynine.layout import (
    ALL_CARDS,
    BEST_CARD,
    BEST_SEAT,
    BID_16,
    BIDDING,
    CHOOSE,
    DECLARE,
    HANDS,
    IN_TRICK,
    NOBODY,
    PASS,
    PHASE,
    PLAYING,
    REVEAL,
    REVEALED,
    SEATS,
    SINGLE_IS,
    SUIT,
    TABLE_POINTS,
    TRICK,
    TRICKS,
    TRUMPING,
    bid_of,
    suit_of,
    worth,
)
from bidarena.envs.twentynine.play import led_suit, table_card
from bidarena.envs.twentynine.rules import options
from bidarena.envs.twentynine.view import known_trump

BIDS = 0x1FFF << BID_16  # the actions that bid 16 to 28


def random(game: Game) -> Bot:
    """Every legal action equally likely."""
    return Bot("random", _random_act)


def _random_act(
    cfg: Cfg, params: Params, state: State, player: int, rng: Rng, scratch: Mask
) -> int:
    allowed = options(cfg, state)
    return nth(allowed, below(rng, count(allowed)))


def rules(game: Game, jump: bool = False) -> Bot:
    """The bidding, the choice of trump and the card play that the winning team began with.

    It bids up to what its first four cards are worth by the team's formula, as little as it must;
    with `jump` it bids all of it at once. It wins a trick if it can, else gives its least card; to
    a partner who is winning it gives its most valuable card, but its least trump. It reveals the
    trump only when the cards on the table have points and the partner is not winning. Of house
    rules it declares marriages; it never doubles, plays a single hand, or asks for a redeal.
    """
    return Bot("rules", rules_act, np.array([float(flag("jump", jump))]), deterministic=True)


def rules_act(cfg: Cfg, params: Params, state: State, player: int, rng: Rng, scratch: Mask) -> int:
    """The `act` of `rules`; `params` begins with whether it jumps."""
    allowed = options(cfg, state)
    if allowed & (allowed - 1) == 0:
        return lowest(allowed)
    if state[PHASE] == PLAYING:
        return _play(state, player, allowed)
    return _before_play(state, player, allowed, params[0] > 0)


def formula(cfg: Cfg, state: State, player: int) -> int:
    """A book for searches: bids and trump as `rules` has them, as the winners did with all bots."""
    if state[PHASE] == PLAYING:
        return -1
    return _before_play(state, player, options(cfg, state), False)


def _before_play(state: State, player: int, allowed: int, jump: bool) -> int:
    if state[PHASE] == BIDDING:
        return _bid(state[HANDS + player], allowed, jump)
    if state[PHASE] == TRUMPING:
        return CHOOSE + best_suit(state[HANDS + player])
    return PASS


def cheater(game: Game, iterations: int = 1000, playout: str = "random") -> Bot:
    """Sees all hands, the cards still to come and the trump: for upper bounds only, never fair.

    A search with nothing to guess, in which everybody else sees everything too. It plays only where
    it is named: tournaments of all bots leave it out.
    """
    open_game = replace(game, hidden=False)
    bot = mcts(open_game, iterations=iterations, playout=playout)
    return replace(bot, name="cheater", more={**bot.more, "determinize": _look}, fair=False)


def _look(cfg: Cfg, state: State, player: int, rng: Rng) -> None:
    """Stands for `determinize`: what is hidden is left as it is, and so it is seen."""


# --- bidding -------------------------------------------------------------------------------------


def best_suit(hand: int) -> int:
    """The longest suit; of equally long ones that with more points, then with higher cards."""
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
    """What four cards are worth bidding.

    13, the length of the longest suit, half its points and 34 % of all others, rounded.
    """
    suit = hand & (SUIT << (8 * best_suit(hand)))
    hundredths = 100 * (13 + count(suit)) + 50 * points_in(suit) + 34 * points_in(hand ^ suit)
    return (hundredths + 50) // 100


def _bid(hand: int, allowed: int, jump: bool) -> int:
    bids = allowed & BIDS
    if bids == 0:
        return PASS if (allowed >> PASS) & 1 else lowest(allowed)
    least = lowest(bids)
    limit = estimate(hand)
    if (allowed >> PASS) & 1 and bid_of(least) > limit:
        return PASS
    if jump:  # as far as the bids go
        return highest(bids & ((2 << (BID_16 + max(limit, bid_of(least)) - 16)) - 1))
    return least


# --- card play -----------------------------------------------------------------------------------


def _play(state: State, player: int, allowed: int) -> int:
    if (allowed >> DECLARE) & 1:
        return DECLARE
    cards = allowed & ALL_CARDS
    trump = known_trump(state, player)
    trumps = 0 if trump == NOBODY or state[SINGLE_IS] != NOBODY else SUIT << (8 * trump)
    if state[IN_TRICK] == 0:
        return _lead(state, player, cards, trumps)
    partner_wins = state[BEST_SEAT] == (player + 2) % SEATS
    if (allowed >> REVEAL) & 1 and state[TABLE_POINTS] > 0 and not partner_wins:
        return REVEAL
    if partner_wins:
        return _give(cards, trumps)
    following = cards & (SUIT << (8 * led_suit(state)))
    if following == 0 and state[TABLE_POINTS] == 0:
        return least(cards, trumps)  # nothing here to spend a trump on
    return _win_or_least(state, cards, trumps)


def _lead(state: State, player: int, cards: int, trumps: int) -> int:
    """The most valuable card that nothing unseen in its suit beats, trumps last; else the least."""
    unseen = ALL_CARDS ^ state[HANDS + player] ^ played(state)
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
    """All cards played in this deal."""
    cards = 0
    for trick in range(min(state[TRICK] + 1, 8)):
        word = state[TRICKS + trick]
        for seat in range(SEATS):
            card = table_card(word, seat)
            if card != NOBODY:
                cards |= 1 << card
    return cards


def _give(cards: int, trumps: int) -> int:
    """To the partner: the most valuable card that is no trump; of trumps only, the least."""
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
    """The strongest card that wins in the suit, or the least trump that wins; else the least."""
    best = state[BEST_CARD]
    suit = SUIT << (8 * suit_of(best))
    higher = cards & suit & -(2 << best)
    powerful = trumps if state[REVEALED] else 0
    if higher:
        return lowest(higher) if suit == powerful else highest(higher)
    ruffs = cards & powerful
    if ruffs and suit != powerful:
        return lowest(ruffs)
    return least(cards, trumps)


def least(cards: int, trumps: int) -> int:
    """The card of fewest points and then of least strength, trumps last."""
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
