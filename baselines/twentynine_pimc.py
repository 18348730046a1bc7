"""Perfect information Monte Carlo for Twenty-nine: guess the hidden cards, solve, take the average.

Every guess is solved double dummy (`solvers/double_dummy.py`), with each card that may be played
now. What the solver cannot have is doubt: it plays as if everybody saw all cards, so it never
pays for information or hides any.
"""

from __future__ import annotations

import numpy as np

from bidarena.baselines.search.explore import always_plausible, guess_hidden
from bidarena.baselines.solvers.trick_layout import (
    COLUMNS,
    PLIES,
    REST,
    Codes,
    Hands,
    Memory,
    Row,
    Stack,
)
from bidarena.baselines.solvers.trick_memory import number_cards
from bidarena.baselines.solvers.trick_moves import beats, different
from bidarena.baselines.solvers.trick_search import begin, points_after
from bidarena.baselines.twentynine import played, rules_act
from bidarena.envs.bits import lowest
from bidarena.envs.check import whole
from bidarena.envs.compile import apart
from bidarena.envs.game import Cfg, Game, Mask, Params, Rng, State
from bidarena.envs.registry import Bot, make_belief
from bidarena.envs.twentynine.layout import (
    ALL_CARDS,
    BEST_CARD,
    BEST_SEAT,
    BIDDER,
    DECLARE,
    HANDS,
    IN_TRICK,
    LAST_TRICK,
    LEADER,
    MARGIN,
    NOBODY,
    PHASE,
    PLAYING,
    POINTS,
    REVEAL,
    REVEALED,
    REWARD,
    SEATS,
    SINGLE_IS,
    SUIT,
    TARGET,
    TRICK,
    TRICKS,
    TRUMP,
)
from bidarena.envs.twentynine.play import led_suit, play_options, reveal, table_card

# params
JUMP = 0  # read by `rules_act`
SAMPLES = 1
BELIEF = 2  # from here on

SLOTS = 1 << 16  # positions that are remembered while a guess is solved
CONTRACT = 1 << 20  # what a contract counts beside points: more than those of all guesses


def pimc(game: Game, samples: int = 20, belief: str | None = None) -> Bot:
    """Guesses the hidden cards `samples` times, solves each guess, plays what is best on average.

    What counts is in how many guesses its side makes or breaks the contract with a card, then
    points; with reward="margin" points only. It bids and chooses the trump like `rules`.

    While the trump is hidden the guess includes it, and the solver treats it as revealed from the
    next decision on; that is an approximation, because nobody might ask. A card that is thrown
    instead of asking meets no trumps in the present trick. Asking is weighed like a card: in each
    guess it is worth what the best card after it is worth. A marriage is declared when it can be;
    later ones are not foreseen. Single hands are played like `rules`.

    Args:
        game: Twenty-nine.
        samples: how many guesses.
        belief: which guesses are more believable; options of its own with semicolons.
    """
    samples = whole("samples", samples, 1, 10_000)  # whose points stay below CONTRACT
    params, more = np.array([0.0, samples]), {"plausible": always_plausible}
    if belief is not None:
        known = make_belief(game, str(belief).replace(";", ","))
        params = np.concatenate([params, known.params])
        more = {"plausible": known.plausible}
    return Bot("pimc", _pimc_act, params, more=more)


def _pimc_act(cfg: Cfg, params: Params, state: State, player: int, rng: Rng, scratch: Mask) -> int:
    if state[PHASE] != PLAYING or state[SINGLE_IS] != NOBODY:
        return rules_act(cfg, params, state, player, rng, scratch)
    allowed = worth_trying(cfg, state, player)
    if allowed & (allowed - 1) == 0:
        return lowest(allowed)
    return _best_on_average(cfg, params, state, player, rng, allowed)


@apart
def worth_trying(cfg: Cfg, state: State, player: int) -> int:
    """The legal actions, of cards that come to the same only one; or the marriage alone."""
    allowed = play_options(cfg, state)
    if (allowed >> DECLARE) & 1:
        return 1 << DECLARE
    gone = played(state)
    for seat in range(SEATS):
        card = table_card(state[TRICKS + state[TRICK]], seat)
        if state[IN_TRICK] > 0 and card != NOBODY:
            gone ^= 1 << card  # on the table it still separates others
    others = ALL_CARDS ^ gone ^ state[HANDS + player]
    return different(allowed & ALL_CARDS, others) | allowed & (1 << REVEAL)


@apart
def _best_on_average(
    cfg: Cfg, params: Params, state: State, player: int, rng: Rng, allowed: int
) -> int:
    """The action with the best sum over all guesses; asking for the trump only if it is better."""
    totals = np.zeros(REVEAL + 1, np.int64)
    guess = state.copy()
    hands = np.zeros(SEATS, np.int64)
    stack = np.zeros((PLIES, COLUMNS), np.int64)
    codes = np.empty((4, 256), np.int64)
    memory = np.zeros((SLOTS, 2), np.int64)
    values = np.zeros(32, np.int64)
    cards = allowed & ALL_CARDS
    for sample in range(int(params[SAMPLES])):
        guess_hidden(cfg, params[BELIEF:], state, player, rng, guess)
        for seat in range(SEATS):
            hands[seat] = guess[HANDS + seat]
        number_cards(hands, codes)
        _solve_cards(cfg, guess, player, cards, hands, stack, codes, memory, sample + 1, values)
        for card in range(32):
            if (cards >> card) & 1:
                totals[card] += values[card]
        if (allowed >> REVEAL) & 1:
            reveal(guess)
            after = play_options(cfg, guess) & ALL_CARDS
            _solve_cards(cfg, guess, player, after, hands, stack, codes, memory, sample + 1, values)
            best = -CONTRACT
            for card in range(32):
                if (after >> card) & 1:
                    best = max(best, values[card])
            totals[REVEAL] += best
    chosen = lowest(cards)
    for action in range(REVEAL + 1):
        if (allowed >> action) & 1 and totals[action] > totals[chosen]:
            chosen = action
    return chosen


@apart
def _solve_cards(
    cfg: Cfg,
    guess: State,
    player: int,
    cards: int,
    hands: Hands,
    stack: Stack,
    codes: Codes,
    memory: Memory,
    deal: int,
    values: Hands,
) -> None:
    """What each of `cards` is worth to the side of `player` if the guess is right."""
    root = np.zeros(COLUMNS, np.int64)
    _set_root(cfg, guess, player, hands, cards, root)
    trump, last = guess[TRUMP], cfg[LAST_TRICK]
    points = max(guess[TARGET] - guess[POINTS + (guess[BIDDER] & 1)], 1)
    if guess[BIDDER] & 1:
        points = root[REST] - points + 1
    for card in range(32):
        if (cards >> card) & 1:
            points = points_after(
                hands, root, card, stack, trump, last, codes, memory, deal, points
            )
            values[card] = _result(cfg, guess, player, points, root[REST])


def _set_root(cfg: Cfg, guess: State, player: int, hands: Hands, cards: int, root: Row) -> None:
    """The position to be solved. A trump still hidden gets its power now or with the next trick.

    Now, if somebody may still ask in this trick: unless `player` is the last one in it, or cannot
    follow and throws a card instead of asking.
    """
    word = guess[TRICKS + min(guess[TRICK], 7)]
    on_table = guess[IN_TRICK]
    table, led = 0, 0
    power = guess[TRUMP]
    best, best_seat = guess[BEST_CARD], guess[BEST_SEAT]
    if on_table > 0:
        led = led_suit(guess)
        follows = cards & (SUIT << (8 * led)) != 0
        if guess[REVEALED] == 0 and (on_table == SEATS - 1 or not follows):
            power = NOBODY
        for k in range(on_table):
            seat = (guess[LEADER] + k) % SEATS
            card = table_card(word, seat)
            table |= 1 << card
            if k == 0 or beats(card, best, power):
                best, best_seat = card, seat
    begin(hands, player, table, led, best, best_seat, power, cfg[LAST_TRICK], root)


def _result(cfg: Cfg, guess: State, player: int, points: int, rest: int) -> int:
    """Contract made or broken, then points, for the side of `player`; `points` are side 0's."""
    own = guess[POINTS + (player & 1)] + (points if player & 1 == 0 else rest - points)
    if cfg[REWARD] == MARGIN:
        return own
    bidding = guess[BIDDER] & 1
    taken = guess[POINTS + bidding] + (points if bidding == 0 else rest - points)
    won = (taken >= guess[TARGET]) == (player & 1 == bidding)
    return own + (CONTRACT if won else 0)
