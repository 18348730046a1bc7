"""Deals and moves with told chance have the outcomes and probabilities that `outcomes` lists."""

import sys
from collections import defaultdict

import numpy as np
import pytest
from toy_kuhn import kuhn
from toy_leduc import leduc

from bidarena.envs import make_game
from bidarena.envs.game import Game, layout, rules_of
from bidarena.envs.outcomes import outcomes
from bidarena.envs.rng import below, draw, uniform

pytest.importorskip("pyspiel")
from bidarena.envs.openspiel.chance import run
from bidarena.envs.openspiel.nodes import Draw, Line

# --- a game of one deal: a loaded die with a large number of sides, then a real number ------------


def reset(cfg, state, rng):
    if cfg[1]:
        chances = np.array([0.5, 0.0, 0.125, 0.375])
        state[0] = draw(rng, chances)
    else:
        state[0] = below(rng, cfg[0])
    state[1] = below(rng, 2)
    if cfg[2]:
        state[1] = 1 if uniform(rng) < 0.5 else 0
    state[2] = 0


def to_move(cfg, state):
    return -1 if state[2] else 0


def legal(cfg, state, mask):
    mask[0] = 1


def step(cfg, state, action, rng):
    state[2] = 1


def returns(cfg, state, out):
    out[0] = state[0]


def observe(cfg, state, player, out):
    out[0] = state[0]


def determinize(cfg, state, player, rng):
    state[1] = below(rng, 2)


def die(sides=6, loaded=False, real=False):
    return Game(
        name="told_die",
        options={},
        rules=rules_of(sys.modules[__name__]),
        cfg=np.array([sides, loaded, real], np.int64),
        players=1,
        actions=1,
        longest=1,
        state=layout(side=1, coin=1, over=1),
        observation=layout(side=1),
        zero_sum=False,
    )


def all_ends(node, chance=1.0):
    """Yield the probability and the settled state of every way through chance nodes."""
    if isinstance(node, Line):
        yield chance, node.last.state
        return
    assert sum(p for _, p in node.outcomes) == pytest.approx(1.0)
    assert len(node.outcomes) <= node.line.most
    for outcome, p in node.outcomes:
        yield from all_ends(node.chosen(outcome), chance * p)


def listed(node):
    found = defaultdict(float)
    for chance, state in all_ends(node):
        found[state.tobytes()] += chance
    return dict(found)


def expected(game, state=None, action=None):
    return {after.tobytes(): chance for chance, after in outcomes(game, state, action)}


@pytest.mark.parametrize("most", [2, 3, 7, 100])
@pytest.mark.parametrize(
    "game",
    [
        kuhn(),
        leduc(),
        die(),
        die(sides=23),
        die(loaded=True),
        make_game("raj", cards=[1, 2, 3, 4], items=[-1, 1, 2, 3]),
    ],
    ids=str,
)
def test_deal__has_the_listed_outcomes_however_few_a_node_may_have(game, most):
    assert listed(Line(game, (), most).after((), ())) == pytest.approx(expected(game))


def test_move__has_the_listed_outcomes():
    game = make_game("scotch", money=4, tie="coin", length=4)
    start = Line(game, (), 2).after((), ())
    assert isinstance(start, Line) and list(start.last.choices) == [0, 1]
    tied = start.after(((0, 2), (1, 2)), ())
    assert isinstance(tied, Draw) and [p for _, p in tied.outcomes] == [0.5, 0.5]
    committed = start.last.state.copy()
    game.call("step")(game.cfg, committed, 2, np.ones(2, np.uint64))
    assert listed(tied) == pytest.approx(expected(game, committed, 2))
    assert isinstance(start.after(((0, 2), (1, 1)), ()), Line)


def test_loaded_draw__has_the_given_probabilities():
    node = Line(die(loaded=True), (), 5).after((), ())
    assert [p for _, p in node.outcomes] == pytest.approx([0.5, 0.125, 0.375])


def test_large_draw__is_cut_without_listing_it():
    node = Line(die(sides=2**31), (), 1000).after((), ())
    depth = 0
    while isinstance(node, Draw) and not node.told:
        assert len(node.outcomes) <= 1000
        node, depth = node.chosen(len(node.outcomes) - 1), depth + 1
    assert depth == 4 and node.chosen(0).last.state[0] == 2**31 - 1


def test_real_numbers__are_refused():
    with pytest.raises(ValueError, match="told_die draws real numbers"):
        run(die(real=True), None, (), ())
