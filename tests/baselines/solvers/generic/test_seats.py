"""Best responses and NashConv where there are more than two players, against brute force."""

import itertools
from functools import cache

import numpy as np
import pytest
from brute_force import law_of

from bidarena.baselines.solvers.generic.respond import index_of, responses_to
from bidarena.baselines.solvers.probabilities import Asker
from bidarena.envs import make_bot, make_game
from bidarena.envs.outcomes import outcomes
from bidarena.envs.testing import check_bot
from bidarena.evaluate.exploit import exploit

RULES = {"players": 3, "cards": (1, 2, 4), "items": (-1, 2, 3)}


def brute(game, law, responder):
    """Return what each player wins if all follow `law` but the responder, who plays the best."""
    to_move, legal, step = (game.call(name) for name in ("to_move", "legal", "step"))
    kept = np.ones(game.state_size, bool)
    for part in game.idle:
        kept[game.state[part]] = False
    states: dict[bytes, np.ndarray] = {}

    def known(state):
        key = state[kept].tobytes()
        states.setdefault(key, state)
        return key

    def moves(state):
        mask = np.zeros(game.actions, np.int8)
        legal(game.cfg, state, mask)
        return np.flatnonzero(mask).tolist()

    @cache
    def value(key):
        state = states[key]
        if to_move(game.cfg, state) < 0:
            out = np.zeros(game.players)
            game.call("returns")(game.cfg, state, out)
            return tuple(out)
        # all players of a round commit; the moves of each do not depend on those of the others
        laws, options, walked = [], [], state.copy()
        for seat in range(game.players):
            laws.append(law(walked, seat))
            options.append(moves(walked))
            if seat + 1 < game.players:
                step(game.cfg, walked, options[seat][0], np.ones(2, np.uint64))
        worth = {action: np.zeros(game.players) for action in options[responder]}
        for bids in itertools.product(*options):
            chance = np.prod([laws[s][b] for s, b in enumerate(bids) if s != responder])
            if chance == 0.0:
                continue
            walked = state.copy()
            for bid in bids[:-1]:
                step(game.cfg, walked, bid, np.ones(2, np.uint64))
            for weight, after in outcomes(game, walked, bids[-1]):
                worth[bids[responder]] += chance * weight * np.array(value(known(after)))
        return tuple(max(worth.values(), key=lambda result: result[responder]))

    return sum(weight * np.array(value(known(s))) for weight, s in outcomes(game))[responder]


@pytest.mark.parametrize("bot", ["random", "value"])
def test_seats__three_players_of_raj_against_brute_force(bot):
    game = make_game("raj", **RULES)
    rival = make_bot(game, bot)
    found = responses_to(Asker(index_of(game), rival))
    law = law_of(game, rival)
    expected = [brute(game, law, seat) for seat in range(3)]
    assert found.values == pytest.approx(expected, abs=1e-9)
    told = exploit(game, bot)
    assert told.seat_values == pytest.approx(expected, abs=1e-9)
    # all alike win 0 on average together, so the gains are the values
    assert told.nash_conv == pytest.approx(sum(expected), abs=1e-9)


def test_seats__a_response_in_a_game_of_three_is_fair():
    game = make_game("raj", **RULES)
    response = responses_to(Asker(index_of(game), make_bot(game, "random")))
    if response.playable:
        check_bot(game, response.bot(game, "best"), games=3)
