"""What cards are worth in guesses of what is hidden, each solved as if all hands were open."""

from __future__ import annotations

import numpy as np

from bidarena.baselines.search.explore import guess_hidden
from bidarena.baselines.twentynine.double_dummy.layout import (
    CLOCK,
    COLUMNS,
    END,
    PLIES,
    REST,
    STOPPED,
    Codes,
    Hands,
    Memory,
    Row,
    Stack,
)
from bidarena.baselines.twentynine.double_dummy.memory import begin_deal
from bidarena.baselines.twentynine.double_dummy.search import (
    ALL,
    begin,
    likely_points,
    points_after,
)
from bidarena.envs.compile import seconds
from bidarena.envs.game import Cfg, Params, Rng, State
from bidarena.envs.twentynine.rules.layout import ALL_CARDS, NOBODY, SEATS, SUIT, A, C, S
from bidarena.envs.twentynine.rules.play import beats, led_suit, play_options, reveal, table_card

CONTRACTS, POINTS = 0, 1  # what is added up over all guesses


def add_up(
    cfg: Cfg,
    belief: Params,
    samples: int,
    state: State,
    player: int,
    rng: Rng,
    actions: int,
    what: int,
    end: float,
    memory: Memory,
    totals: Hands,
) -> int:
    """Add to `totals` what each of `actions` is worth in each guess; return how many were solved.

    Args:
        cfg: the rules in force.
        belief: the params of the belief; empty: there is none.
        samples: how many guesses.
        state: what really is; only what `player` may know is used.
        player: the seat to move.
        rng: for the guesses.
        actions: cards, and perhaps asking for the trump, as a bit mask.
        what: CONTRACTS or POINTS, of the side of `player`.
        end: when to stop, in the middle of a guess too; 0: never.
        memory: of the solver; its entries are overwritten.
        totals: where to add, by action.
    """
    guess = state.copy()
    hands = np.zeros(SEATS, np.int64)
    stack = np.zeros((PLIES, COLUMNS), np.int64)
    stack[CLOCK, END] = int(end * 1e9)
    codes = np.empty((4, 256), np.int64)
    found = np.zeros(A.reveal + 1, np.int64)
    values = np.zeros(32, np.int64)
    for sample in range(samples):
        if end > 0.0 and seconds() >= end:
            return sample
        guess_hidden(cfg, belief, state, player, rng, guess)
        for seat in range(SEATS):
            hands[seat] = guess[S.hands + seat]
        begin_deal(hands, codes, memory)
        found[A.reveal] = 0
        for asking in range(1 + ((actions >> A.reveal) & 1)):
            if asking:
                reveal(guess)
                cards = play_options(cfg, guess) & ALL_CARDS
            else:
                cards = actions & ALL_CARDS
            _solve_cards(cfg, guess, player, cards, hands, stack, codes, memory, what, values)
            for card in range(32):
                if (cards >> card) & 1:
                    action = A.reveal if asking else card
                    found[action] = max(found[action], values[card]) if asking else values[card]
        if stack[CLOCK, STOPPED] != 0:
            return sample  # this guess was not solved to its end
        for action in range(A.reveal + 1):
            if (actions >> action) & 1:
                totals[action] += found[action]
    return samples


def _solve_cards(
    cfg: Cfg,
    guess: State,
    player: int,
    cards: int,
    hands: Hands,
    stack: Stack,
    codes: Codes,
    memory: Memory,
    what: int,
    values: Hands,
) -> None:
    """Write into `values` what each of `cards` is worth to the side of `player` in this guess.

    The contract is worth 1 if it is won, by making or by breaking it.
    """
    root = np.zeros(COLUMNS, np.int64)
    set_root(cfg, guess, player, hands, cards, root)
    trump, last = guess[S.trump], cfg[C.last_trick]
    need = guess[S.target] - guess[S.points + (guess[S.bidder] & 1)]
    if guess[S.bidder] & 1:  # side 0 wins if it leaves less than that to the other side
        need = root[REST] - need + 1
    points = likely_points(hands, trump, root[REST])
    for card in range(32):
        if (cards >> card) & 1 == 0:
            continue
        if stack[CLOCK, STOPPED] != 0:
            return
        ask = need if what == CONTRACTS else points
        questions = 1 if what == CONTRACTS else ALL
        points = points_after(hands, root, card, stack, trump, last, codes, memory, ask, questions)
        if what == CONTRACTS:
            values[card] = 1 if (points >= need) == (player & 1 == 0) else 0
        else:
            values[card] = points if player & 1 == 0 else root[REST] - points


def set_root(cfg: Cfg, guess: State, player: int, hands: Hands, cards: int, root: Row) -> None:
    """Write the position to be solved into `root`.

    A trump that is still hidden counts from this trick on if somebody may still ask in it, else
    from the next trick on. Nobody may if `player` is the last to play, or cannot follow suit and
    plays a card instead of asking.
    """
    packed = guess[S.tricks + min(guess[S.trick], 7)]
    on_table = guess[S.in_trick]
    table, led = 0, 0
    power = guess[S.trump]
    best, best_seat = guess[S.best_card], guess[S.best_seat]
    if on_table > 0:
        led = led_suit(guess)
        follows = cards & (SUIT << (8 * led)) != 0
        if guess[S.revealed] == 0 and (on_table == SEATS - 1 or not follows):
            power = NOBODY
        for k in range(on_table):
            seat = (guess[S.leader] + k) % SEATS
            card = table_card(packed, seat)
            table |= 1 << card
            if k == 0 or beats(card, best, power):
                best, best_seat = card, seat
    left = hands[0] | hands[1] | hands[2] | hands[3]
    begin(left, player, table, led, best, best_seat, power, cfg[C.last_trick], root)
