"""Chance listed by scripts: probabilities add to 1 and agree with what the generator draws."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
import toy_kuhn
import toy_leduc
import toy_matrix
from our_games import OUR_GAMES

from bidarena.envs import make_game
from bidarena.envs.outcomes import DRAWS, outcomes
from bidarena.envs.rng import WORDS, below, draw, pick, shuffle, uniform, word
from bidarena.envs.testing import random_states

SMALL = {
    "scotch": {"tie": "coin", "money": 6, "length": 5},
    "richman": {"tie": "coin", "money": 6},
    "raj": {"cards": (1, 2, 3), "items": (-1, 2, 3)},
    "coins": {"board": "square3"},
}
TIMES = 4000


def drawing(reset):
    """Return a game whose deal is drawn by `reset`."""
    game = toy_kuhn.kuhn()
    return replace(game, name=f"toy_{reset.__name__}", rules={**game.rules, "reset": reset})


def two_dice(cfg, state, rng):
    state[:] = 0
    state[0] = below(rng, 6) + below(rng, 6)


def shuffled(cfg, state, rng):
    state[:] = 0
    for at in range(4):
        state[at] = at
    shuffle(rng, state[:4])


def weighted(cfg, state, rng):
    state[:] = 0
    chances = np.array([0.1, 0.0, 0.6, 0.3])
    state[0] = draw(rng, chances)
    if state[0] == 2:  # only one of the outcomes leads to a second draw
        mask = np.array([0, 1, 1, 0, 1], np.int8)
        state[1] = pick(rng, mask)


def real(cfg, state, rng):
    state[:] = 0
    state[0] = int(uniform(rng) * 3)


def bits(cfg, state, rng):
    state[:] = 0
    state[0] = int(word(rng) & np.uint64(1))


def endless(cfg, state, rng):
    state[:] = 0
    for _ in range(300):
        state[0] += below(rng, 2)


def test_outcomes__equal_ones_are_merged():
    found = {int(state[0]): chance for chance, state in outcomes(drawing(two_dice))}
    assert found == pytest.approx({n: (6 - abs(n - 5)) / 36 for n in range(11)})


def test_outcomes__of_a_shuffle_are_all_orders():
    found = outcomes(drawing(shuffled))
    assert len(found) == 24
    assert all(chance == pytest.approx(1 / 24) for chance, _ in found)


def test_outcomes__of_draws_that_depend_on_each_other():
    found = {tuple(state[:2].tolist()): chance for chance, state in outcomes(drawing(weighted))}
    assert found == pytest.approx({(0, 0): 0.1, (2, 1): 0.2, (2, 2): 0.2, (2, 4): 0.2, (3, 0): 0.3})


@pytest.mark.parametrize("reset", [real, bits])
def test_outcomes__real_numbers_and_bits_are_refused(reset):
    with pytest.raises(ValueError, match="draws real numbers"):
        outcomes(drawing(reset))


def test_outcomes__too_many_draws_or_outcomes_are_refused():
    with pytest.raises(ValueError, match=f"more than {DRAWS} times"):
        outcomes(drawing(endless))
    with pytest.raises(ValueError, match="most=5"):
        outcomes(drawing(shuffled), most=5)
    with pytest.raises(ValueError, match="state, action"):
        outcomes(toy_kuhn.kuhn(), action=1)


def agree(listed, drawn):
    """Assert that frequencies fit probabilities, each within five standard errors."""
    assert sum(listed.values()) == pytest.approx(1.0, abs=1e-12)
    assert set(drawn) <= set(listed)
    for state, chance in listed.items():
        spread = np.sqrt(chance * (1 - chance) / TIMES)
        assert drawn[state] / TIMES == pytest.approx(chance, abs=5 * spread + 1e-12)


def by_state(found):
    return {state.tobytes(): chance for chance, state in found}


@pytest.mark.parametrize(
    "game",
    [
        *(make_game(name, **SMALL[name]) for name in OUR_GAMES if name in SMALL),
        toy_leduc.leduc(),
        toy_matrix.matrix(),
    ],
    ids=lambda game: game.name,
)
def test_outcomes__agree_with_the_ordinary_generator(game):
    source = np.random.default_rng(5)
    luck = source.integers(1, 2**64, (TIMES, WORDS), dtype=np.uint64)
    agree(by_state(outcomes(game)), Counter(game.new_state(rng).tobytes() for rng in luck.copy()))
    step, tried = game.call("step"), 0
    for state, _, _ in random_states(game, 2, 1):
        mask = np.zeros(game.actions, np.int8)
        game.call("legal")(game.cfg, state, mask)
        action = int(source.choice(np.flatnonzero(mask)))
        listed = by_state(outcomes(game, state, action))
        if len(listed) == 1 and tried:
            continue
        drawn: Counter[bytes] = Counter()
        for rng in luck.copy():
            after = state.copy()
            step(game.cfg, after, action, rng)
            drawn[after.tobytes()] += 1
        agree(listed, drawn)
        tried += 1
    assert tried


def test_outcomes__of_every_game_of_ours_are_covered_but_those_with_too_many_deals():
    for name in set(OUR_GAMES) - set(SMALL):
        with pytest.raises(ValueError, match="more than most=1000"):
            outcomes(make_game(name), most=1000)
