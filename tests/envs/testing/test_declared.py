"""The conformance kit catches bots that declare something untrue about their choices."""

import numpy as np
import pytest

from bidarena.envs import Bot, make_game
from bidarena.envs.game import legal
from bidarena.envs.rng import pick
from bidarena.envs.scotch.rules import C, S
from bidarena.envs.testing import check_bot


def draws(cfg, params, state, player, rng, scratch):
    legal(cfg, state, scratch)
    return pick(rng, scratch)


def always_first(cfg, params, state, player, scratch, out):
    legal(cfg, state, scratch)
    out[:] = 0.0
    for action in range(len(out)):
        if scratch[action]:
            out[action] = 1.0
            break


def everything(cfg, params, state, player, scratch, out):
    out[:] = 1.0 / len(out)


def hurries(cfg, params, state, player, rng, scratch):
    """Bid all in the last two rounds, and as little as possible before."""
    legal(cfg, state, scratch)
    allowed = np.flatnonzero(scratch)
    return allowed[-1] if state[S.round] >= cfg[C.max_rounds] - 2 else allowed[0]


@pytest.mark.parametrize(
    ("bot", "message"),
    [
        (Bot("drawing", draws, deterministic=True), "calls itself deterministic"),
        (Bot("drawing", draws, distribution=always_first), "rules out"),
        (Bot("drawing", draws, distribution=everything), "no distribution over its legal"),
    ],
)
def test_check_bot__finds_untrue_declarations(bot, message):
    with pytest.raises(AssertionError, match=message):
        check_bot(make_game("raj"), bot, games=3)


def test_check_bot__finds_a_bot_that_foresees_more_than_it_declares():
    game = make_game("scotch", length=4, money=4, payment="opponent", max_rounds=9)
    for foresight in (None, 2, 3, 9, 20):
        check_bot(game, Bot("hurrying", hurries, foresight=foresight), games=3)
    for foresight in (0, 1):
        with pytest.raises(AssertionError, match=f"declares foresight={foresight}"):
            check_bot(game, Bot("hurrying", hurries, foresight=foresight), games=3)
