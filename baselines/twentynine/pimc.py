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
from bidarena.baselines.twentynine.double_dummy.memory import begin_deal
from bidarena.baselines.twentynine.double_dummy.moves import different
from bidarena.baselines.twentynine.double_dummy.search import (
    ALL,
    begin,
    likely_points,
    points_after,
)
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

SLOTS = 1 << 18  # positions that the solver remembers at most
CONTRACTS, POINTS = 0, 1  # what is added up over all guesses


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
    samples = whole("samples", samples, 1, 10_000)
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

    Contracts are counted first, which is quick. Only for actions with equally many, the same
    guesses are solved again for their points. Return -1 if there was no time for a single guess.
    """
    start, end = 0.0, params[UNTIL]
    if end > 0.0:
        start = seconds()
    memory = np.empty((1 + SLOTS, 2), np.int64)
    totals = np.zeros(A.reveal + 1, np.int64)
    words = rng.copy()
    best, known = allowed, False
    for what in range(2):
        if (what == CONTRACTS and cfg[C.reward] == MARGIN) or best & (best - 1) == 0:
            continue
        for k in range(len(words)):  # the same guesses each time
            rng[k] = words[k]
        for action in range(A.reveal + 1):
            totals[action] = 0
        until = start + (end - start) / 2 if what == CONTRACTS else end
        if _add_up(cfg, params, state, player, rng, best, what, until, memory, totals) == 0:
            break
        known = True
        best = _best(best, totals)
    return lowest(best) if known else -1


def _best(actions: int, totals: Hands) -> int:
    """Return those of `actions` that have the largest total."""
    best, most = 0, -1
    for action in range(A.reveal + 1):
        if (actions >> action) & 1 and totals[action] >= most:
            best = (best if totals[action] == most else 0) | 1 << action
            most = totals[action]
    return best


def _add_up(
    cfg: Cfg,
    params: Params,
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
        params: those of the bot.
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
    for sample in range(int(params[SAMPLES])):
        if end > 0.0 and seconds() >= end:
            return sample
        guess_hidden(cfg, params[BELIEF:], state, player, rng, guess)
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
    return int(params[SAMPLES])


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
