"""Our compiled Twenty-nine, action by action against an independent referee in plain Python."""

import itertools

import numpy as np
import pytest
from twentynine_referee import CARDS, Referee, consistent

from bidarena.envs import Batch, make_game
from bidarena.envs.bits import count
from bidarena.envs.rng import WORDS
from bidarena.envs.twentynine.rules.layout import STATE, A, S, card_code, card_of

HOUSE = {
    "last_trick": 1,
    "marriage": True,
    "doubling": True,
    "single_hand": True,
    "seventh_card": True,
    "redeal": "no_points",
    "all_pass": "redeal",
}
VARIANTS = [
    {"auction": "round_robin"},
    {"auction": "round_robin", "all_pass": "redeal", "min_bid": 20, "max_bid": 22},
    {"min_bid": 27, "all_pass": "redeal"},
    {"first_lead": "bidder", "unrevealed": "score"},
    {"last_trick": 1, "reward": "margin"},
    {"last_trick": 1, "max_bid": 28},
    {"marriage": True, "min_bid": 18, "unrevealed": "score"},
    {"doubling": True},
    {"single_hand": True},
    {"single_hand": True, "reward": "margin", "doubling": True},
    {"seventh_card": True},
    {"redeal": "no_points"},
    {"match_to": 2, "max_deals": 5},
    {"match_to": 1, **HOUSE},
    {"match_to": 6, "max_deals": 4, "auction": "round_robin", **HOUSE},
    {**HOUSE, "auction": "round_robin", "first_lead": "bidder"},
    HOUSE,
]


def codes(mask):
    return [card_code(card) for card in range(32) if mask >> card & 1]


def hands_of(state, part):
    return [codes(int(mask)) for mask in state[STATE[part]]]


def compare(rules, rows, seed, quiet_auction):
    """Play random games in both; every mover, mask, hand, score and result must agree."""
    game = make_game("twentynine", **rules)
    batch = Batch(game, rows, seed=seed)
    source = np.random.default_rng(seed)
    referees = [Referee(**rules) for _ in range(rows)]
    seen = set()
    for _ in range(game.longest):
        actions = np.zeros(rows, np.int64)
        for row in np.flatnonzero(batch.movers >= 0):
            state, referee = batch.states[row], referees[row]
            if referee.needs_deal:
                referee.deal(hands_of(state, "hands"), hands_of(state, "rest"))
            legal = np.flatnonzero(batch.masks[row]).tolist()
            assert batch.movers[row] == referee.turn
            assert legal == referee.legal()
            if source.random() < 0.05:
                hands = [sorted(hand, key=card_of) for hand in referee.hands]
                assert hands_of(state, "hands") == hands
            # Otherwise random auctions end at 28, which hardly anybody ever makes.
            calm = quiet_auction and A.pass_ in legal and source.random() < 0.8
            actions[row] = A.pass_ if calm else source.choice(legal)
            seen.add(int(actions[row]))
        before = batch.states.copy()
        batch.step(actions)
        for row in np.flatnonzero(before[:, S.mover] >= 0):
            referee = referees[row]
            if actions[row] == A.seventh_card:
                referee.seventh = card_code(int(batch.states[row, S.seventh]))
            referee.play(int(actions[row]))
            if batch.movers[row] < 0:
                assert referee.over
                assert referee.cut_short == (batch.movers[row] == -2)
                assert batch.returns[row].tolist() == pytest.approx(referee.result())
                assert batch.states[row, STATE["points"]].tolist() == referee.points
        if (batch.movers < 0).all():
            break
    assert (batch.movers < 0).all()
    assert all(referee.over for referee in referees)
    return seen, batch


@pytest.mark.parametrize(("seed", "quiet"), list(itertools.product(range(4), (False, True))))
def test_referee__agrees_on_twenty_thousand_random_deals(seed, quiet):
    seen, batch = compare({}, 2500, seed, quiet)
    assert seen == set(range(51))
    points = batch.states[:, STATE["points"]].sum(axis=1)
    assert (points == 28).all()
    # All three results happen.
    assert set(batch.returns[:, 0].tolist()) == {-1.0, 0.0, 1.0}


@pytest.mark.parametrize("rules", VARIANTS, ids=lambda rules: ",".join(map(str, rules)))
@pytest.mark.parametrize("quiet", [False, True])
def test_referee__agrees_on_house_rules(rules, quiet):
    compare(rules, 150, 7, quiet)


def test_referee__every_house_rule_comes_up():
    seen = set()
    for quiet in (False, True):
        seen |= compare({"unrevealed": "score", **HOUSE}, 3000, 11, quiet)[0]
    assert seen == set(range(58))


# --- what a seat cannot know: every consistent deal, equally often -------------------------------


def late_positions(rules, wanted, most_deals, seed):
    """Return (state, referee, player) near the end of random deals, when few deals are possible."""
    game = make_game("twentynine", **rules)
    source = np.random.default_rng(seed)
    found = []
    while len(found) < wanted:
        rng = source.integers(1, 2**64, WORDS, dtype=np.uint64)
        state, referee = game.new_state(rng), Referee(**rules)
        referee.deal(hands_of(state, "hands"), hands_of(state, "rest"))
        while not referee.over:
            if referee.needs_deal:
                referee.deal(hands_of(state, "hands"), hands_of(state, "rest"))
            if referee.stage == "play":
                player = int(source.integers(4))
                sizes = [count(int(state[S.hands + s])) for s in range(4) if s != player]
                deals = arrangements(sizes)
                if 1 < deals <= most_deals and source.random() < 0.3:
                    found.append((state.copy(), referee, player))
                    break
            legal = referee.legal()
            # Revealing early makes for duties and marriages.
            action = A.reveal if A.reveal in legal else int(source.choice(legal))
            if A.pass_ in legal and source.random() < 0.7:
                action = A.pass_
            if A.seventh_card in legal and source.random() < 0.6:
                action = A.seventh_card
            if A.declare in legal:
                action = A.declare
            game.call("step")(game.cfg, state, action, rng)
            if action == A.seventh_card:
                referee.seventh = card_code(int(state[S.seventh]))
            referee.play(action)
    return game, found


def arrangements(sizes):
    ways, left = 1, sum(sizes)
    for size in sizes:
        for k in range(size):
            ways = ways * (left - k)
        for k in range(size):
            ways //= k + 1
        left -= size
    return ways


def all_deals(state, player):
    """Yield every way to deal the hidden cards to the others, as the eight cards of each seat."""
    held = [int(state[S.hands + seat]) for seat in range(4)]
    gone = [0] * 4
    for word in state[STATE["tricks"]]:
        for seat in range(4):
            card = (int(word) >> (6 * seat) & 63) - 1
            if card >= 0:
                gone[seat] |= 1 << card
    others = [seat for seat in range(4) if seat != player]
    hidden = [c for seat in others for c in range(32) if held[seat] >> c & 1]
    sizes = [count(held[seat]) for seat in others]
    for one in itertools.combinations(hidden, sizes[0]):
        rest = [c for c in hidden if c not in one]
        for two in itertools.combinations(rest, sizes[1]):
            three = [c for c in rest if c not in two]
            hands = list(held)
            for seat, cards in zip(others, (one, two, three), strict=True):
                hands[seat] = sum(1 << c for c in cards)
            yield tuple(hands), [hands[seat] | gone[seat] for seat in range(4)]


def possible_deals(state, referee, player):
    """Return the possible hands, each with how many seventh cards explain the trump."""
    weights = {}
    for hands, dealt in all_deals(state, player):
        if not consistent(referee, player, [codes(hand) for hand in dealt]):
            continue
        weight = 1
        if referee.by_seventh and referee.revealed and player != referee.bidder:
            suit = CARDS[8 * int(state[S.trump])][1]
            weight = sum(code[1] == suit for code in codes(dealt[referee.bidder]))
        weights[hands] = weight
    return weights


@pytest.mark.parametrize(
    ("rules", "seed"),
    [({}, 0), ({}, 1), ({"seventh_card": True}, 2), ({"marriage": True}, 3), (HOUSE, 4)],
    ids=str,
)
def test_determinize__draws_every_consistent_deal_equally_often(rules, seed):
    game, positions = late_positions(rules, 12, 2000, seed)
    draws = 6000
    barred = 0
    for state, referee, player in positions:
        weights = possible_deals(state, referee, player)
        assert tuple(int(h) for h in state[STATE["hands"]]) in weights
        barred += len(weights) < arrangements(
            [count(int(state[S.hands + s])) for s in range(4) if s != player]
        )
        rng = np.random.default_rng(seed).integers(1, 2**64, WORDS, dtype=np.uint64)
        counts = dict.fromkeys(weights, 0)
        for _ in range(draws):
            guess = state.copy()
            game.call("determinize")(game.cfg, guess, player, rng)
            counts[tuple(int(h) for h in guess[STATE["hands"]])] += 1
        total = sum(weights.values())
        expected = np.array([draws * w / total for w in weights.values()])
        observed = np.array([counts[hands] for hands in weights])
        distance = ((observed - expected) ** 2 / expected).sum()
        degrees = len(weights) - 1
        # Chi-square: six standard deviations above its mean.
        assert distance < degrees + 6 * np.sqrt(2 * degrees) + 12
    assert barred >= 6  # most positions have something shown


def test_determinize__guesses_at_full_size_could_have_been_dealt():
    """At any moment of a deal, the whole history is legal with the guessed hands too."""
    game = make_game("twentynine")
    source = np.random.default_rng(5)
    for _ in range(150):
        rng = source.integers(1, 2**64, WORDS, dtype=np.uint64)
        state, referee = game.new_state(rng), Referee()
        referee.deal(hands_of(state, "hands"), hands_of(state, "rest"))
        while not referee.over:
            player = int(source.integers(4))
            guess = state.copy()
            game.call("determinize")(game.cfg, guess, player, rng)
            dealt = [
                (a | b | c)
                for a, b, c in zip(
                    guess[STATE["hands"]].tolist(),
                    guess[STATE["rest"]].tolist(),
                    played(guess),
                    strict=True,
                )
            ]
            if referee.history:
                assert consistent(referee, player, [codes(hand) for hand in dealt])
            action = int(source.choice(referee.legal()))
            game.call("step")(game.cfg, state, action, rng)
            referee.play(action)


def played(state):
    gone = [0] * 4
    for word in state[STATE["tricks"]]:
        for seat in range(4):
            card = (int(word) >> (6 * seat) & 63) - 1
            if card >= 0:
                gone[seat] |= 1 << card
    return gone
