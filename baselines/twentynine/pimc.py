"""Perfect information Monte Carlo for Twenty-nine: guess the hidden cards, solve, take the average.

The double-dummy solver (double_dummy/) solves every guess for each card that may be played now. The
solver has no doubts: it plays as if all players saw all cards, so it never pays for information and
never hides any. A learned policy, which knows what is hidden, may choose between cards that are
about as good.
"""

from __future__ import annotations

import numpy as np

from bidarena.baselines.search.books import book_move, guide_for, nested, open_book
from bidarena.baselines.search.stubs import always_plausible, no_book, no_priors, priors
from bidarena.baselines.twentynine.bots import played, rules_act
from bidarena.baselines.twentynine.double_dummy.layout import Hands
from bidarena.baselines.twentynine.double_dummy.moves import different
from bidarena.baselines.twentynine.guesses import CONTRACTS, add_up
from bidarena.envs.arguments import whole
from bidarena.envs.bits import lowest
from bidarena.envs.compile import apart, seconds
from bidarena.envs.game import Cfg, Game, Mask, Params, Rng, State, legal
from bidarena.envs.registry import Bot, make_belief
from bidarena.envs.twentynine.rules.layout import (
    ALL_CARDS,
    MARGIN,
    NOBODY,
    PLAYING,
    SEATS,
    A,
    C,
    S,
)
from bidarena.envs.twentynine.rules.play import play_options, table_card

PIMC = "pimc"  # `Bot.kind`

# params
JUMP = 0  # read by `rules_act`
SAMPLES = 1
UNTIL = 2  # when to stop, by the clock that `seconds` reads; 0: never
BY_POLICY = 3  # 1: the policy bids, where the book would
PRIOR = 4  # what the policy's probability of a card counts beside the share of guesses it wins
POLICY = 5  # where the params of the policy begin
BELIEF = 6  # from here to POLICY, the params of the belief

SLOTS = 1 << 18  # positions that the solver remembers at most
ALL_POINTS = 28  # of the cards
USUAL_PRIOR = 0.1  # chosen in trials: 0.2 and 0.5 were no better


def pimc(
    game: Game,
    samples: int = 20,
    belief: str | None = None,
    policy: str | None = None,
    book: str | None = None,
    prior: float | None = None,
) -> Bot:
    """Guesses the hidden cards `samples` times, solves each guess, plays what is best on average.

    The best card makes (or breaks) the contract in the most guesses; of equals, it takes the most
    points. With reward="margin" only points count. It bids and chooses the trump by a book: by
    the formula of `rules`, or by a learned policy. A policy also chooses between cards that are
    about as good, in place of the points, which takes less than half the time.

    A guess includes the trump while it is hidden, and the solver treats it as revealed from the
    next decision on; that is an approximation, because nobody might ask. After a card that is
    played instead of asking, there are no trumps in the present trick. Asking is valued like a
    card: in each guess it is worth as much as the best card after it. The bot declares a marriage
    when it can, and does not expect later ones. It plays single hands like `rules`.

    Args:
        game: Twenty-nine.
        samples: guesses for each decision.
        belief: which guesses are more believable, by name; its options are separated by semicolons.
        policy: a learned policy that bids, chooses the trump, and has a say in the cards: a file,
            the folder of a run, or "learned".
        book: as for searches: "formula" or "policy"; None: the policy if there is one.
        prior: with a policy, how many guesses its probability of a card is worth, as a share of all
            guesses; None: 0.1. With 0 it only bids and chooses the trump.
    """
    samples = whole("samples", samples, 1, 10_000)
    known = None if belief is None else make_belief(game, nested(belief))
    guide = None if policy is None else guide_for(game, policy)
    answers, by_policy = open_book(game, book, guide)
    if answers is no_book:
        raise ValueError(f"book={book!r}: pimc cannot search bids; expected 'formula' or 'policy'")
    if guide is not None and guide.priors is None:
        raise ValueError(f"policy={policy!r}: expected a policy that gives probabilities")
    believed = np.zeros(0) if known is None else known.params
    head = np.zeros(BELIEF)
    head[SAMPLES], head[BY_POLICY] = samples, by_policy
    head[PRIOR] = _prior(prior, guide is not None)
    head[POLICY] = BELIEF + len(believed)
    params = np.concatenate([head, believed, np.zeros(0) if guide is None else guide.params])
    more = {
        "plausible": always_plausible if known is None else known.plausible,
        "book": answers,
        "priors": no_priors if guide is None else guide.priors,
        **({} if guide is None else guide.more),
    }
    return Bot("pimc", _pimc_act, params, more=more, kind=PIMC)


def _prior(value: float | None, has_policy: bool) -> float:
    """Return the weight of the policy in the choice of cards, 0 without a policy."""
    if value is None:
        return USUAL_PRIOR if has_policy else 0.0
    if not has_policy:
        raise ValueError(f"prior={value!r}: needs probabilities; expected policy=PATH too")
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise ValueError(f"prior={value!r}: expected a number from 0 to 1")
    return float(value)


def _pimc_act(cfg: Cfg, params: Params, state: State, player: int, rng: Rng, scratch: Mask) -> int:
    """Return the best action in the play, that of the book before it, `rules` in a single hand.

    At the time `UNTIL` it stops, in the middle of a guess too, and chooses by the guesses solved so
    far; if there is none, like `rules`.
    """
    if state[S.phase] != PLAYING:
        legal(cfg, state, scratch)
        policy = params[int(params[POLICY]) :]
        return book_move(cfg, policy, params[BY_POLICY] != 0.0, state, player, scratch)
    if state[S.single] != NOBODY:
        return rules_act(cfg, params, state, player, rng, scratch)
    allowed = worth_trying(cfg, state, player)
    if allowed & (allowed - 1) == 0:
        return lowest(allowed)
    best = _best_on_average(cfg, params, state, player, rng, allowed, scratch)
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
    cfg: Cfg, params: Params, state: State, player: int, rng: Rng, allowed: int, scratch: Mask
) -> int:
    """Return the action with the best sum over all guesses; of equals, a card before asking.

    Contracts are counted first, which is quick. Only for actions with equally many, the same
    guesses are solved again for their points; a policy that has a say decides in their place.
    Return -1 if there was no time for a single guess.
    """
    start, end = 0.0, params[UNTIL]
    if end > 0.0:
        start = seconds()
    belief, samples = params[BELIEF : int(params[POLICY])], int(params[SAMPLES])
    memory = np.empty((1 + SLOTS, 2), np.int64)
    totals = np.zeros(A.reveal + 1, np.int64)
    words = rng.copy()
    best, known, asks_policy = allowed, False, params[PRIOR] > 0.0
    for what in range(2):
        if (what == CONTRACTS and cfg[C.reward] == MARGIN) or best & (best - 1) == 0:
            continue
        for k in range(len(words)):  # the same guesses each time
            rng[k] = words[k]
        for action in range(A.reveal + 1):
            totals[action] = 0
        more_follows = what == CONTRACTS and not asks_policy
        until = start + (end - start) / 2 if more_follows else end
        solved = add_up(
            *(cfg, belief, samples, state, player, rng, best, what, until, memory, totals)
        )
        if solved == 0:
            break
        if asks_policy:
            most = solved if what == CONTRACTS else solved * (ALL_POINTS + cfg[C.last_trick])
            return _best_with_policy(cfg, params, state, player, allowed, totals, most, scratch)
        known = True
        best = _best(best, totals)
    return lowest(best) if known else -1


def _best_with_policy(
    cfg: Cfg,
    params: Params,
    state: State,
    player: int,
    allowed: int,
    totals: Hands,
    most: int,
    scratch: Mask,
) -> int:
    """Return the action with the best share of `most` plus `PRIOR` times the policy's probability.

    The policy knows all legal cards. A card that stands for its higher neighbours has the sum of
    their probabilities.
    """
    legal(cfg, state, scratch)
    chances = np.zeros(len(scratch))
    priors(cfg, params[int(params[POLICY]) :], state, player, scratch, chances)
    stands = NOBODY
    for card in range(32):
        if card % 8 == 0:
            stands = NOBODY
        if (allowed >> card) & 1:
            stands = card
        elif stands != NOBODY:
            chances[stands] += chances[card]
    best, best_score = NOBODY, -1.0
    for action in range(A.reveal + 1):
        if (allowed >> action) & 1:
            score = totals[action] / most + params[PRIOR] * chances[action]
            if score > best_score:
                best, best_score = action, score
    return best


def _best(actions: int, totals: Hands) -> int:
    """Return those of `actions` that have the largest total."""
    best, most = 0, -1
    for action in range(A.reveal + 1):
        if (actions >> action) & 1 and totals[action] >= most:
            best = (best if totals[action] == most else 0) | 1 << action
            most = totals[action]
    return best
