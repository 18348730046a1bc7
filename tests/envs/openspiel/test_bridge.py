"""Games as games of OpenSpiel: nodes, names, copies, and OpenSpiel's own test on every game."""

import pickle
import subprocess
import sys

import numpy as np
import pytest
from our_games import OUR_GAMES, VARIANTS
from toy_goofspiel import goofspiel
from toy_kuhn import kuhn
from toy_leduc import leduc
from toy_nim import nim
from toy_sealed import sealed
from toy_tictactoe import tictactoe

from bidarena.envs import make_game

pyspiel = pytest.importorskip("pyspiel")
from bidarena.envs import openspiel  # noqa: E402

TOYS = {
    "kuhn": kuhn,
    "leduc": leduc,
    "nim": nim,
    "goofspiel": goofspiel,
    "tictactoe": tictactoe,
    "three sealed": lambda: sealed(players=3, sides=(0, 1, 2)),
    "partners sealed": sealed,
}


def variants():
    return [(name, rules) for name in OUR_GAMES for rules in VARIANTS[name]]


def settled(game, *actions):
    """Return the state after moves, taking the first outcome of every draw."""
    state = game.new_initial_state()
    waiting = list(actions)
    while True:
        while state.is_chance_node():
            state.apply_action(0)
        if not waiting:
            return state
        chosen = waiting.pop(0)
        state.apply_actions(chosen) if isinstance(chosen, list) else state.apply_action(chosen)


@pytest.mark.parametrize(("name", "rules"), variants(), ids=str)
def test_our_games__pass_the_random_test_of_open_spiel(name, rules):
    pyspiel.random_sim_test(openspiel.load(name, **rules), 1, True, False)


@pytest.mark.parametrize("toy", TOYS)
def test_games_of_others__pass_the_random_test_of_open_spiel(toy):
    pyspiel.random_sim_test(openspiel.load(TOYS[toy]()), 3, True, False)


@pytest.mark.parametrize(("name", "rules"), variants(), ids=str)
def test_random_game__is_the_game_of_our_rules(name, rules):
    """Every settled state is one that our own step leads to, with its movers, moves and views."""
    loaded = openspiel.load(name, **rules)
    game, rng = loaded.game, np.random.default_rng(3)
    assert (loaded.num_players(), loaded.num_distinct_actions()) == (game.players, game.actions)
    assert (loaded.min_utility(), loaded.max_utility()) == game.return_range
    assert loaded.max_game_length() == game.longest
    state = loaded.new_initial_state()
    mask, view = np.zeros(game.actions, np.int8), np.zeros(game.observation_size, np.float32)
    for _ in range(400):
        if state.is_terminal():
            break
        if state.is_chance_node():
            outcomes, chances = zip(*state.chance_outcomes(), strict=True)
            assert sum(chances) == pytest.approx(1.0) and len(outcomes) > 1
            assert list(outcomes) == list(range(len(outcomes)))
            assert len(outcomes) <= loaded.max_chance_outcomes()
            state.apply_action(int(rng.choice(outcomes, p=chances)))
            continue
        before = state.bidarena_state
        chosen = {}
        for player in range(game.players):
            game.call("observe")(game.cfg, before, player, view)
            assert np.array_equal(state.observation_tensor(player), view)
            if legal := state.legal_actions(player):
                chosen[player] = int(rng.choice(legal))
        here, left, words = before.copy(), dict(chosen), np.array([5, 7], np.uint64)
        while (mover := int(game.call("to_move")(game.cfg, here))) in left:
            game.call("legal")(game.cfg, here, mask)
            assert np.flatnonzero(mask).tolist() == state.legal_actions(mover)
            game.call("step")(game.cfg, here, left.pop(mover), words)
        assert not left, "somebody is offered a move who is not to move in this moment"
        if state.is_simultaneous_node():
            state.apply_actions([chosen.get(player, 0) for player in range(game.players)])
        else:
            state.apply_action(chosen[state.current_player()])
        if not state.is_chance_node():
            assert np.array_equal(state.bidarena_state, here)
    if state.is_terminal():
        results = np.zeros(game.players)
        game.call("returns")(game.cfg, state.bidarena_state, results)
        assert state.returns() == results.tolist()


def test_raj__is_simultaneous_with_the_item_as_a_chance_node():
    game = openspiel.load("raj", cards=[1, 2, 3], items=[1, 2, 3])
    state = game.new_initial_state()
    assert state.is_chance_node()
    assert state.chance_outcomes() == [(0, 1 / 3), (1, 1 / 3), (2, 1 / 3)]
    state.apply_action(1)
    assert state.is_simultaneous_node()
    assert [state.legal_actions(player) for player in (0, 1)] == [[0, 1, 2]] * 2
    assert state.action_to_string(1, 2) == "card 3"
    state.apply_actions([0, 2])
    assert state.is_chance_node() and len(state.chance_outcomes()) == 2
    assert state.returns() == [0.0, 0.0]


def test_twentynine__deals_a_deck_card_by_card_and_has_four_players():
    state = openspiel.load("twentynine").new_initial_state()
    sizes = []
    while state.is_chance_node():
        sizes.append(len(state.chance_outcomes()))
        state.apply_action(0)
    assert sizes == list(range(32, 4, -1))  # the last four cards are one hand's
    assert 0 <= state.current_player() < 4


def test_richman__bids_are_simultaneous_and_the_winner_moves_alone():
    game = openspiel.load("richman", graph="line6", money=3, max_rounds=10)
    state = game.new_initial_state()
    assert state.is_simultaneous_node()
    kinds = set()
    rng = np.random.default_rng(0)
    for _ in range(50):
        state = game.new_initial_state()
        while not state.is_terminal():
            kinds.add("both" if state.is_simultaneous_node() else "one")
            moves = [rng.choice(state.legal_actions(p) or [0]) for p in (0, 1)]
            if state.is_simultaneous_node():
                state.apply_actions(moves)
            else:
                state.apply_action(moves[state.current_player()])
    assert kinds == {"both", "one"}


def test_facts__are_those_of_the_game():
    kinds = pyspiel.GameType
    coins = openspiel.load("coins", board="triangle4").get_type()
    assert coins.dynamics == kinds.Dynamics.SEQUENTIAL
    assert coins.chance_mode == kinds.ChanceMode.DETERMINISTIC
    assert coins.information == kinds.Information.PERFECT_INFORMATION
    secret = openspiel.load("scotch", know_opponent_money=False, money=9).get_type()
    assert secret.dynamics == kinds.Dynamics.SIMULTANEOUS
    assert secret.information == kinds.Information.IMPERFECT_INFORMATION
    assert secret.utility == kinds.Utility.ZERO_SUM
    banks = openspiel.load("raj", reward="bank").get_type()
    assert banks.utility == kinds.Utility.GENERAL_SUM
    assert banks.chance_mode == kinds.ChanceMode.EXPLICIT_STOCHASTIC


def test_information_state__remembers_views_and_own_actions_only():
    state = settled(openspiel.load(leduc()))
    start = [state.information_state_string(player) for player in (0, 1)]
    assert start[0] != start[1]
    mover = state.current_player()
    state.apply_action(state.legal_actions()[-1])
    after = state.information_state_string(mover)
    assert after.startswith(start[mover] + " | action ")
    assert "action" not in state.information_state_string(1 - mover)


def test_information_state__does_not_count_what_is_not_seen():
    """In goofspiel with hidden bids the other's card changes nothing that a player knows."""
    game = openspiel.load(goofspiel(cards=3, shuffled=False))
    states = [settled(game, [1, 1 - k]) for k in (0, 1)]
    known = {state.information_state_string(0) for state in states}
    assert len({str(state) for state in states}) == 2
    # who has won the prize is seen, so compare two bids that lose alike
    low = [settled(game, [2, k]).information_state_string(0) for k in (0, 1)]
    assert len(set(low)) == 1 and len(known) == 2


def test_information_tensor__tells_as_much_as_the_text():
    game = openspiel.load("raj", cards=[1, 2, 3], items=[1, 2, 3])
    rng, texts, tensors = np.random.default_rng(0), {}, {}
    for _ in range(300):
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                state.apply_action(int(rng.integers(len(state.chance_outcomes()))))
                continue
            for player in (0, 1):
                text = state.information_state_string(player)
                tensor = np.array(state.information_state_tensor(player), np.float32).tobytes()
                assert texts.setdefault(tensor, text) == text
                assert tensors.setdefault(text, tensor) == tensor
            state.apply_actions([int(rng.choice(state.legal_actions(p))) for p in (0, 1)])
    assert len(texts) > 50


@pytest.mark.parametrize("name", ["twentynine", "toy_leduc", "scotch"])
def test_resampling__guesses_what_is_hidden_and_nothing_else(name):
    rules = {"scotch": {"know_opponent_money": False, "money": 9}}.get(name, {})
    moves = {"scotch": [[3, 2]]}.get(name, [])
    state = settled(openspiel.load(name, **rules), *moves)
    sampler = pyspiel.UniformProbabilitySampler(0.0, 1.0)
    whole, others = set(), set()
    for _ in range(30):
        guess = state.resample_from_infostate(0, sampler)
        whole.add(str(guess))
        known = guess.information_state_string(0)
        assert known == state.information_state_string(0)
        assert guess.information_state_tensor(0) == state.information_state_tensor(0)
        assert guess.legal_actions(0) == state.legal_actions(0)
        others.add(guess.information_state_string(1))
        again = pickle.loads(pickle.dumps(guess))
        assert again.information_state_string(1) == guess.information_state_string(1)
    assert len(whole) > 1 and len(others) > 1
    # what the other really saw before is in none of the guesses
    assert all("action" not in text for text in others)
    with pytest.raises(ValueError, match="not at a chance node"):
        openspiel.load("raj").new_initial_state().resample_from_infostate(0, sampler)


def test_observers__name_their_parts():
    from open_spiel.python.observation import make_observation

    game = openspiel.load("raj", cards=[1, 2, 3], items=[1, 2, 3])
    seen = make_observation(game)
    seen.set_from(settled(game), 1)
    assert list(seen.dict) == list(game.game.observation)
    recalled = make_observation(game, pyspiel.IIGObservationType(perfect_recall=True))
    recalled.set_from(settled(game, [0, 2]), 1)
    assert recalled.dict["player"].tolist() == [0, 1]
    assert recalled.dict["seen"].sum() == 2
    assert recalled.dict["actions"][0].tolist() == [0, 0, 1]
    public = pyspiel.IIGObservationType(
        perfect_recall=True, private_info=pyspiel.PrivateInfoType.NONE
    )
    with pytest.raises(ValueError, match="SINGLE_PLAYER"):
        game.make_py_observer(public)
    with pytest.raises(ValueError, match="no parameters"):
        game.make_py_observer(None, {"x": 1})


@pytest.mark.parametrize("name", ["raj", "twentynine", "toy_leduc", "toy_kuhn:toy_kuhn"])
def test_text_of_a_game__loads_it_again(name):
    rules = {"raj": {"cards": [1, 2, 3], "items": [1, 2, 3], "tie": "split"}}.get(name, {})
    game = openspiel.load(name, **rules)
    again = pyspiel.load_game(str(game))
    assert str(again) == str(game) and again.game.options == game.game.options
    state = settled(game)
    for copy in (
        game.deserialize_state(state.serialize()),
        pyspiel.deserialize_game_and_state(pyspiel.serialize_game_and_state(game, state))[1],
        pickle.loads(pickle.dumps(state)),
        state.clone(),
    ):
        assert str(copy) == str(state) and copy.history() == state.history()
        assert copy.legal_actions() == state.legal_actions()
        for player in range(game.num_players()):
            known = state.information_state_string(player)
            assert copy.information_state_string(player) == known


def test_coins__moves_are_found_by_their_words():
    state = openspiel.load("coins", board="triangle3").new_initial_state()
    for action in state.legal_actions():
        assert state.string_to_action(state.action_to_string(action)) == action


def test_clone__goes_its_own_way():
    state = settled(openspiel.load("raj", cards=[1, 2, 3], items=[1, 2, 3]))
    copy = state.clone()
    copy.apply_actions([0, 1])
    assert str(copy) != str(state) and state.is_simultaneous_node()


def test_illegal_moves__are_refused():
    game = openspiel.load("raj", cards=[1, 2, 3], items=[1, 2, 3])
    state = settled(game, [0, 1])
    with pytest.raises(ValueError, match=r"action=0: illegal for player 0; legal: \[1, 2\]"):
        state.apply_actions([0, 0])
    with pytest.raises(ValueError, match="outcome=3: this chance node has 0 to 2"):
        game.new_initial_state().apply_action(3)


def test_load__refuses_what_make_game_refuses():
    with pytest.raises(ValueError, match="nogame"):
        openspiel.load("nogame")
    with pytest.raises(TypeError, match="unexpected keyword argument 'rounds'"):
        openspiel.load("raj", rounds=3)
    with pytest.raises(ValueError, match=r"name the game, as in bidarena\(game=name\)"):
        pyspiel.load_game("bidarena")
    with pytest.raises(ValueError, match="rules='cards': expected a JSON object"):
        pyspiel.load_game("bidarena(game=raj,rules=cards)")


def test_load__takes_a_ready_game():
    game = make_game("raj", cards=[1, 2, 3], items=[1, 2, 3])
    assert openspiel.load(game).game is game


def test_without_open_spiel__the_import_says_what_to_install():
    code = "import sys; sys.modules['pyspiel'] = None; import bidarena.envs.openspiel"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert 'needs OpenSpiel: pip install "bidarena[openspiel]"' in done.stderr
