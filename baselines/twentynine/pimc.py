"""Perfect information Monte Carlo for Twenty-nine: guess the hidden cards, solve, take the average.

The double-dummy solver (double_dummy/) solves every guess for each card that may be played now. The
solver has no doubts: it plays as if all players saw all cards, so it never pays for information and
never hides any.
"""

from __future__ import annotations

import numpy as np

from bidarena.baselines.search.explore import guess_hidden
from bidarena.baselines.search.stubs import always_plausible
from bidarena.baselines.twentynine.bots import played, rules_act
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
from bidarena.baselines.twentynine.double_dummy.memory import number_cards
from bidarena.baselines.twentynine.double_dummy.moves import different
from bidarena.baselines.twentynine.double_dummy.search import begin, points_after
from bidarena.envs.arguments import whole
from bidarena.envs.bits import lowest
from bidarena.envs.compile import apart, seconds
from bidarena.envs.game import Cfg, Game, Mask, Params, Rng, State
from bidarena.envs.registry import Bot, make_belief
from bidarena.envs.twentynine.rules.layout import (
    ALL_CARDS,
    MARGIN,
    NOBODY,
    PLAYING,
    SEATS,
    SUIT,
    A,
    C,
    S,
)
from bidarena.envs.twentynine.rules.play import (
    beats,
    led_suit,
    play_options,
    reveal,
    table_card,
)

PIMC = "pimc"  # `Bot.kind`

# params
JUMP = 0  # read by `rules_act`
SAMPLES = 1
UNTIL = 2  # when to stop, by the clock that `seconds` reads; 0: never
BELIEF = 3  # from here on, the params of the belief

SLOTS = 1 << 16  # positions that the solver remembers
CONTRACT = 1 << 20  # value of winning the contract: more than all points of all guesses


def pimc(game: Game, samples: int = 20, belief: str | None = None) -> Bot:
    """Guesses the hidden cards `samples` times, solves each guess, plays what is best on average.

    The best card makes (or breaks) the contract in the most guesses; of equals, it takes the most
    points. With reward="margin" only points count. It bids and chooses the trump like `rules`.

    A guess includes the trump while it is hidden, and the solver treats it as revealed from the
    next decision on; that is an approximation, because nobody might ask. After a card that is
    played instead of asking, there are no trumps in the present trick. Asking is valued like a
    card: in each guess it is worth as much as the best card after it. The bot declares a marriage
    when it can, and does not expect later ones. It plays single hands like `rules`.

    Args:
        game: Twenty-nine.
        samples: guesses for each decision.
        belief: which guesses are more believable, by name; its options are separated by semicolons.
    """
    samples = whole("samples", samples, 1, 10_000)  # so that points stay below CONTRACT
    params, more = np.array([0.0, samples, 0.0]), {"plausible": always_plausible}
    if belief is not None:
        known = make_belief(game, str(belief).replace(";", ","))
        params = np.concatenate([params, known.params])
        more = {"plausible": known.plausible}
    return Bot("pimc", _pimc_act, params, more=more, kind=PIMC)


def _pimc_act(cfg: Cfg, params: Params, state: State, player: int, rng: Rng, scratch: Mask) -> int:
    """Return the best action in the play, and that of `rules` before it and in a single hand.

    At the time `UNTIL` it stops, in the middle of a guess too, and chooses by the guesses solved so
    far; if there is none, like `rules`.
    """
    if state[S.phase] != PLAYING or state[S.single] != NOBODY:
        return rules_act(cfg, params, state, player, rng, scratch)
    allowed = worth_trying(cfg, state, player)
    if allowed & (allowed - 1) == 0:
        return lowest(allowed)
    best = _best_on_average(cfg, params, state, player, rng, allowed)
    return best if best >= 0 else rules_act(cfg, params, state, player, rng, scratch)


@apart
def worth_trying(cfg: Cfg, state: State, player: int) -> int:
    """Return the legal actions as a bit mask, with only one of cards that make no difference.

    If a marriage is possible, return that alone.
    """
    allowed = play_options(cfg, state)
    if (allowed >> A.declare) & 1:
        return 1 << A.declare
    gone = played(state)
    for seat in range(SEATS):
        card = table_card(state[S.tricks + state[S.trick]], seat)
        if state[S.in_trick] > 0 and card != NOBODY:
            gone ^= 1 << card  # a card on the table still matters
    others = ALL_CARDS ^ gone ^ state[S.hands + player]
    return different(allowed & ALL_CARDS, others) | allowed & (1 << A.reveal)


@apart
def _best_on_average(
    cfg: Cfg, params: Params, state: State, player: int, rng: Rng, allowed: int
) -> int:
    """Return the action with the best sum over all guesses; of equals, a card before asking.

    Return -1 if there was no time for a single guess.
    """
    totals = np.zeros(A.reveal + 1, np.int64)
    guess = state.copy()
    hands = np.zeros(SEATS, np.int64)
    stack = np.zeros((PLIES, COLUMNS), np.int64)
    stack[CLOCK, END] = int(params[UNTIL] * 1e9)
    codes = np.empty((4, 256), np.int64)
    memory = np.zeros((SLOTS, 2), np.int64)
    values = np.zeros(32, np.int64)
    found = np.zeros(A.reveal + 1, np.int64)
    cards = allowed & ALL_CARDS
    solved = 0
    for sample in range(int(params[SAMPLES])):
        if params[UNTIL] > 0.0 and seconds() >= params[UNTIL]:
            break
        guess_hidden(cfg, params[BELIEF:], state, player, rng, guess)
        for seat in range(SEATS):
            hands[seat] = guess[S.hands + seat]
        number_cards(hands, codes)
        _solve_cards(cfg, guess, player, cards, hands, stack, codes, memory, sample + 1, values)
        for card in range(32):
            if (cards >> card) & 1:
                found[card] = values[card]
        if (allowed >> A.reveal) & 1:
            reveal(guess)
            after = play_options(cfg, guess) & ALL_CARDS
            _solve_cards(cfg, guess, player, after, hands, stack, codes, memory, sample + 1, values)
            best = -CONTRACT
            for card in range(32):
                if (after >> card) & 1:
                    best = max(best, values[card])
            found[A.reveal] = best
        if stack[CLOCK, STOPPED] != 0:
            break  # this guess was not solved to its end
        totals += found
        solved += 1
    if solved == 0:
        return -1
    chosen = lowest(cards)
    for action in range(A.reveal + 1):
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
    """Write into `values` what each of `cards` is worth to the side of `player` in this guess."""
    root = np.zeros(COLUMNS, np.int64)
    set_root(cfg, guess, player, hands, cards, root)
    trump, last = guess[S.trump], cfg[C.last_trick]
    points = max(guess[S.target] - guess[S.points + (guess[S.bidder] & 1)], 1)
    if guess[S.bidder] & 1:
        points = root[REST] - points + 1
    for card in range(32):
        if (cards >> card) & 1:
            if stack[CLOCK, STOPPED] != 0:
                return
            points = points_after(
                hands, root, card, stack, trump, last, codes, memory, deal, points
            )
            values[card] = _result(cfg, guess, player, points, root[REST])


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


def _result(cfg: Cfg, guess: State, player: int, points: int, rest: int) -> int:
    """Return the value of a result for the side of `player`: the contract first, then points.

    `points` are those that side 0 still takes, `rest` those that both sides take.
    """
    own = guess[S.points + (player & 1)] + (points if player & 1 == 0 else rest - points)
    if cfg[C.reward] == MARGIN:
        return own
    bidding = guess[S.bidder] & 1
    taken = guess[S.points + bidding] + (points if bidding == 0 else rest - points)
    won = (taken >= guess[S.target]) == (player & 1 == bidding)
    return own + (CONTRACT if won else 0)
