"""The conformance kit catches bots that declare something untrue about their choices."""

import pytest

from bidarena.envs import Bot, make_game
from bidarena.envs.game import legal
from bidarena.envs.rng import pick
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
