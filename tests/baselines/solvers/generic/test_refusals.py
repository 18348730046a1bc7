"""What the generic solver refuses: each with a message that says what to do, and nothing kept."""

from dataclasses import replace

import numpy as np
import pytest
from toy_goofspiel import goofspiel
from toy_kuhn import CARDS, kuhn
from toy_kuhn import reset as deal
from toy_matrix import S, matrix
from toy_sealed import sealed

from bidarena.baselines.solvers import store
from bidarena.baselines.solvers.generic.bots import exact
from bidarena.baselines.solvers.generic.respond import index_of, responses_to
from bidarena.baselines.solvers.generic.solve import Limits, graph_of, solve_anew, solve_game
from bidarena.baselines.solvers.probabilities import Asker, with_probabilities
from bidarena.baselines.solvers.tree.build import build_tree
from bidarena.envs import make_bot, make_game
from bidarena.envs.rng import below, uniform
from bidarena.evaluate.exploit import exploit


@pytest.fixture(autouse=True)
def nothing_is_kept(monkeypatch, tmp_path):
    monkeypatch.setenv("BIDARENA_CACHE", str(tmp_path / "own"))
    for known in ("_answers", "_graphs", "_trees"):  # of games whose facts are changed below
        monkeypatch.setattr(f"bidarena.baselines.solvers.generic.solve.{known}", {})
    yield
    assert not store.folder().exists() or not list(store.folder().iterdir())


def changed(game, **rules):
    """Return a game with other rules."""
    return replace(game, rules={**game.rules, **rules})


def test_refusal__a_game_far_too_large_is_refused_before_it_is_tried():
    with pytest.raises(ValueError, match=r"memory=1 GiB: too little; raj has about .* positions"):
        solve_game(make_game("raj", cards=list(range(1, 14)), items=list(range(1, 14))))
    with pytest.raises(ValueError, match=r"seconds=0.001: too few.*Give more time"):
        solve_game(goofspiel(cards=4, shuffled=True), Limits(seconds=1e-3))
    with pytest.raises(ValueError, match=r"memory=.*: too little"):
        solve_game(goofspiel(cards=4, shuffled=True), Limits(memory=1000))


def test_refusal__a_game_that_grows_beyond_memory_or_time_on_the_way(monkeypatch):
    monkeypatch.setattr("bidarena.baselines.solvers.tree.build.PART", 1000)
    game = goofspiel(cards=4, shuffled=True)
    with pytest.raises(ValueError, match=r"information sets were found so far. Give more memory"):
        build_tree(game, 1 << 20, opposed=True)
    with pytest.raises(ValueError, match=r"information sets were found so far. Give more time"):
        build_tree(game, 1 << 30, opposed=True, seconds=0.0)
    rules = {"cards": (1, 2, 3, 4, 5), "items": (1, 2, 3, 4, 5)}
    with pytest.raises(ValueError, match="memory"):
        graph_of(make_game("raj", **rules), Limits(memory=1 << 18))


def _goes_round(cfg, state, action, rng):
    """Play a round; after the second the game is as it was after the first."""
    if state[S.pending] < 0:
        state[S.pending] = action
        return
    state[S.pending] = -1
    state[S.round] = 2 if state[S.round] == 1 and action == 0 else 1 - state[S.round]


def test_refusal__a_game_whose_positions_repeat_needs_a_clock():
    game = changed(matrix(rounds=2), step=_goes_round)
    with pytest.raises(ValueError, match=r"may never end.*Game\(clock=..., limit=...\)"):
        solve_game(game)
    with pytest.raises(ValueError, match=f"more decisions than longest={game.longest}"):
        build_tree(game, 1 << 28, opposed=True)


def test_refusal__general_sum_has_no_value_but_best_responses():
    # a prisoner's dilemma: 0 keeps silent, 1 tells
    first, second = ((-100, -300), (0, -200)), ((-100, 0), (-300, -200))
    game = matrix(first=first, second=second)
    with pytest.raises(ValueError, match=r"do not add to 0.*bidarena exploit"):
        solve_game(game)
    with pytest.raises(ValueError, match="do not add to 0"):
        exact(game)
    found = exploit(game, "random")
    assert found.seat_values == pytest.approx([-1.0, -1.0])  # tells: 0 or -2
    assert found.nash_conv == pytest.approx(2 * (-1.0 + 1.5)) and found.exact
    told = responses_to(Asker(index_of(game), make_bot(game, "random"))).bot(game, "best")
    ask = game.compiled(told.distribution, **told.more)
    chances, state = np.zeros(2), game.new_state(np.ones(2, np.uint64))
    ask(game.cfg, told.params, state, 0, np.zeros(2, np.int8), chances)
    assert chances.tolist() == [0.0, 1.0]


@pytest.mark.parametrize("hidden", [False, True])
def test_refusal__a_game_that_only_says_its_results_add_to_0(hidden):
    game = matrix(first=((100, 0), (0, 0)), second=((0, 0), (0, 0)), zero_sum=True)
    with pytest.raises(ValueError, match="do not add to 0, so there is no value"):
        solve_game(replace(game, hidden=hidden))


def _real_deal(cfg, state, rng):
    deal(cfg, state, rng)
    state[CARDS] = 0 if uniform(rng) < 0.5 else 1
    state[CARDS + 1] = 2


def test_refusal__real_numbers_cannot_be_listed():
    with pytest.raises(ValueError, match="draws real numbers"):
        solve_game(changed(kuhn(), reset=_real_deal))


def _knows_the_bid(cfg, state, mask):
    mask[:] = 1
    if state[S.pending] >= 0:
        mask[state[S.pending]] = 0


def test_refusal__legal_moves_that_tell_a_hidden_move():
    game = changed(matrix(first=((1, 2, 3),) * 3), legal=_knows_the_bid)
    with pytest.raises(ValueError, match="depend on a move that is still hidden"):
        solve_game(game)


def _draws_early(cfg, state, action, rng):
    if state[S.pending] < 0:
        state[S.pending] = below(rng, 2)
    else:
        state[S.round] = cfg[2]


def test_refusal__chance_before_all_have_moved():
    with pytest.raises(ValueError, match="chance is drawn before all players"):
        solve_game(changed(matrix(), step=_draws_early))


def test_refusal__a_clock_that_is_none():
    game = make_game("scotch", length=4, money=3, payment="opponent", max_rounds=8)
    for facts in ({"limit": 7}, {"clock": "position"}):
        with pytest.raises(ValueError, match=r"the clock .* does not start at 0"):
            solve_game(replace(game, **facts))


def test_refusal__states_that_forget_have_a_value_but_no_bot():
    """Bids of earlier rounds are in no state, but a player remembers the own ones."""
    game = matrix(first=((100, 300), (200, 150)), rounds=2)
    game = replace(game, hidden=True, idle=("won",))
    answer = solve_anew(game, Limits())
    assert answer.value == pytest.approx(3.6) and not answer.playable
    with pytest.raises(ValueError, match="Keep in the state what players have seen"):
        exact(game)
    (kept,) = store.folder().iterdir()
    kept.unlink()  # the value is known, so it is kept


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (lambda views, masks: np.full(masks.shape, 1 / masks.shape[1]), "on illegal actions"),
        (lambda views, masks: masks * 1.0, "do not add up to 1"),
        (lambda views, masks: masks * np.nan, "not finite"),
        (lambda views, masks: masks[:, :1] * 1.0, "expected probabilities of shape"),
    ],
)
def test_refusal__policies_that_are_none(answer, message):
    with pytest.raises(ValueError, match=message):
        exploit(kuhn(), with_probabilities(answer))


def test_refusal__a_bot_of_another_game():
    with pytest.raises(ValueError, match="was made for other rules than <toy_kuhn"):
        exploit(kuhn(), make_bot(matrix(), "best_response:of=random"))


@pytest.mark.parametrize("players", [3, 4])
def test_refusal__more_sides_than_two(players):
    game = sealed(players=players, sides=tuple(range(players)))
    with pytest.raises(ValueError, match=f"it has {players} sides"):
        solve_game(game)


@pytest.mark.parametrize("limit", ["memory", "seconds", "gap"])
def test_refusal__limits_that_are_none(limit):
    with pytest.raises(ValueError, match=f"{limit}=0: expected"):
        exact(kuhn(), **{limit: 0})
