"""Best responses to bots that foresee the clock, or do not, against asking them at every time."""

from dataclasses import replace

import numpy as np
import pytest
from networks import random_network

from bidarena.baselines.learned.bots import network_bot
from bidarena.baselines.solvers.generic.bots import exact
from bidarena.baselines.solvers.generic.respond import index_of, responses_to
from bidarena.baselines.solvers.probabilities import Asker
from bidarena.envs import Bot, make_game
from bidarena.envs.game import legal
from bidarena.envs.scotch.rules import C, S
from bidarena.envs.testing import check_bot


def scotch(rounds):
    return make_game("scotch", length=4, money=(4, 5), payment="opponent", max_rounds=rounds)


RICHMAN = make_game("richman", money=4, max_rounds=25)
LONG, SHORT = scotch(20), scotch(2)
FORESIGHT = {"logits": 0, "matrix": 0, "positions": 1}


def bot_of(game, head, seed):
    return network_bot(game, random_network(game, head=head, seed=seed), head)


def responses(game, bot, **declared):
    return responses_to(Asker(index_of(game), replace(bot, **declared)))


@pytest.mark.parametrize(
    ("game", "head"),
    [(RICHMAN, "positions"), *((game, head) for game in (LONG, SHORT) for head in FORESIGHT)],
    ids=lambda part: part if isinstance(part, str) else f"{part.name}-{part.limit}",
)
def test_responses__to_a_network_are_those_of_asking_it_at_every_round(game, head):
    """Also those of the same game with the round as a part of its positions, without a clock."""
    plain = replace(game, name="plain", clock=None, limit=0)
    for seed in (0, 3, 9):
        bot = bot_of(game, head, seed)
        found, always = responses(game, bot), responses(game, bot, foresight=game.limit)
        by_round = responses(plain, bot_of(plain, head, seed))
        assert found.values == pytest.approx(always.values, abs=1e-9)
        assert found.values == pytest.approx(by_round.values, abs=1e-9)
        assert found.asked == found.situations * (1 + FORESIGHT[head])
        assert always.asked == found.situations * (1 + game.limit)


def test_responses__miss_what_a_bot_foresees_beyond_what_it_declares():
    """In the short game the last round matters, so the test above notices if it is left out."""
    bot = bot_of(SHORT, "positions", 3)
    assert responses(SHORT, bot).values == pytest.approx([0.0, 0.0], abs=1e-9)
    assert min(responses(SHORT, bot, foresight=0).values) > 0.4


def tires(cfg, params, state, player, rng, scratch):
    """Bid half of what is allowed, and in the last rounds as little as possible."""
    legal(cfg, state, scratch)
    allowed = np.flatnonzero(scratch)
    tired = state[S.round] >= cfg[C.max_rounds] - params[0]
    return allowed[0 if tired else (len(allowed) - 1) // 2]


def tiring(rounds, foresight):
    return Bot("tiring", tires, np.array([rounds]), deterministic=True, foresight=foresight)


def test_responses__are_to_late_choices_late_and_to_early_ones_early():
    game = scotch(3)
    assert responses(game, tiring(2, foresight=2)).values == [0.0, 1.0]
    assert responses(game, tiring(2, foresight=None)).values == [0.0, 1.0]  # found by trying
    assert responses(game, tiring(0, foresight=0)).values == [0.0, 0.0]  # never tired
    assert responses(game, tiring(3, foresight=0)).values == [1.0, 1.0]  # always tired


def test_responses__to_a_network_end_when_values_stand_still():
    game, ticks = make_game("richman", money=3, max_rounds=5000), []
    responses_to(Asker(index_of(game), bot_of(game, "positions", 0)), ticks.append)
    assert 2 < len(ticks) < 500


def test_exact__foresees_as_many_ticks_as_its_plan_depends_on():
    game = make_game("scotch", length=6, money=(7, 8), payment="opponent", max_rounds=15)
    bot = exact(game)
    assert 1 <= bot.foresight < game.limit
    found, always = responses(game, bot), responses(game, bot, foresight=game.limit)
    assert found.values == pytest.approx(always.values, abs=1e-9)
    assert found.asked < always.asked
    check_bot(game, bot)
    with pytest.raises(AssertionError, match="declares foresight=0"):
        check_bot(game, replace(bot, foresight=0), games=200)
