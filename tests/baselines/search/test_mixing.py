"""Searches against equilibria found by linear programs, and against published Kuhn poker."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pytest
import toy_kuhn
import toy_pennies
from brute_force import equilibrium
from toy_kuhn import BET, CALL, CARDS, CHECK, FOLD, JACK, KING, QUEEN

from bidarena.baselines.search import analyse
from bidarena.envs import make_game
from bidarena.envs.rng import seeded

WORDS = np.array([1, 2], np.uint64)


# --- moves made at the same time -----------------------------------------------------------------


@pytest.mark.parametrize("technique", ["mcts", "dmcts", "ismcts", "mom"])
@pytest.mark.parametrize("stakes", [(100, -100, -100, 100), (80, -40, -40, 20), (90, -30, -10, 0)])
def test_pennies__plans_of_both_players_approach_the_equilibrium(technique, stakes):
    game = toy_pennies.pennies(stakes=stakes)
    matrix = np.array(stakes).reshape(2, 2) / 100
    state = game.new_state(WORDS.copy())
    spec = f"{technique}:iterations=30000"
    row = analyse(game, state, 0, spec, 1).plan
    assert np.abs(row - equilibrium(matrix)[0]).max() < 0.06
    game.call("step")(game.cfg, state, 0, WORDS.copy())  # the first player's choice waits
    column = analyse(game, state, 1, spec, 1).plan
    assert np.abs(column - equilibrium(-matrix.T)[0]).max() < 0.06


@pytest.mark.parametrize("technique", ["mcts", "ismcts", "mom"])
def test_pennies__what_the_other_has_committed_makes_no_difference(technique):
    game = toy_pennies.pennies()
    plans = []
    for side in (0, 1):
        state = game.new_state(WORDS.copy())
        game.call("step")(game.cfg, state, side, WORDS.copy())
        plans.append(analyse(game, state, 1, f"{technique}:iterations=2000", 4))
    assert np.array_equal(plans[0].visits, plans[1].visits)
    assert np.array_equal(plans[0].plan, plans[1].plan)


def raj_matrix(size, pot, left):
    """Return the payoffs of the first round with cards 1..size, if all later play is perfect."""

    @lru_cache(None)
    def value(mine, theirs, left, pot, ahead):
        return equilibrium(matrix(mine, theirs, left, pot, ahead))[1]

    def matrix(mine, theirs, left, pot, ahead):
        found = np.zeros((len(mine), len(theirs)))
        for i, own in enumerate(mine):
            for j, other in enumerate(theirs):
                won = 0 if own == other else (pot if (own > other) == (pot >= 0) else -pot)
                carried = pot if own == other else 0
                if not left:
                    found[i, j] = np.sign(ahead + won)
                    continue
                mine_after = tuple(card for card in mine if card != own)
                theirs_after = tuple(card for card in theirs if card != other)
                for k, item in enumerate(left):
                    rest = left[:k] + left[k + 1 :]
                    later = value(mine_after, theirs_after, rest, carried + item, ahead + won)
                    found[i, j] += later / len(left)
        return found

    cards = tuple(range(1, size + 1))
    return matrix(cards, cards, tuple(left), pot, 0)


RAJ = [((1, 2, 3), 2), ((-2, 1, 3), 3), ((-1, 1, 2, 3), 3), ((-1, 1, 2, 3), 2)]


@pytest.mark.parametrize("technique", ["mcts", "ismcts"])
@pytest.mark.parametrize(("items", "pot"), RAJ)
def test_raj__plan_can_hardly_be_exploited_and_gets_better(technique, items, pot):
    game = make_game("raj", cards=list(range(1, len(items) + 1)), items=list(items))
    for seed in range(100):
        state = game.new_state(seeded(np.random.default_rng(seed), 2))
        if state[game.state["pot"]][0] == pot:
            break
    left = list(items)
    left.remove(pot)
    matrix = raj_matrix(len(items), pot, left)
    best = equilibrium(matrix)[1]

    def lost(iterations):
        """Return what the best reply to the plan costs it, averaged over some seeds."""
        spec = f"{technique}:iterations={iterations}"
        plans = [analyse(game, state, 0, spec, seed).plan for seed in range(4)]
        return np.mean([best - (plan @ matrix).min() for plan in plans])

    assert lost(30_000) < 0.04
    assert lost(300) > lost(30_000)


def test_ucb1__does_not_mix_rightly_where_regret_does():
    """This is why `regret` is the default rule at moves made at the same time."""
    items, pot = RAJ[0]
    game = make_game("raj", cards=[1, 2, 3], items=list(items))
    for seed in range(100):
        state = game.new_state(seeded(np.random.default_rng(seed), 2))
        if state[game.state["pot"]][0] == pot:
            break
    matrix = raj_matrix(3, pot, [1, 3])
    lost = {}
    for rule in ("ucb1", "regret"):
        spec = f"mcts:iterations=30000,simultaneous={rule}"
        plans = [analyse(game, state, 0, spec, seed).plan for seed in range(4)]
        lost[rule] = np.mean([-(plan @ matrix).min() for plan in plans])
    assert lost["ucb1"] > 0.05
    assert lost["regret"] < 0.01


# --- Kuhn poker ----------------------------------------------------------------------------------


def kuhn(card, moves, spec, signed=False, seed=2):
    """Return the analysis of a player with this card after these moves, against any card."""
    game = toy_kuhn.kuhn(signed=signed)
    state = game.new_state(WORDS.copy())
    player = len(moves) % 2
    state[CARDS + player], state[CARDS + 1 - player] = card, (card + 1) % 3
    for move in moves:
        game.call("step")(game.cfg, state, move, WORDS.copy())
    return analyse(game, state, player, spec, seed)


FACING = [(BET,), (CHECK, BET)]


@pytest.mark.parametrize("technique", ["ismcts", "mom"])
@pytest.mark.parametrize("selection", ["ucb1", "ucb_tuned", "thompson"])
@pytest.mark.parametrize("signed", [False, True])
def test_kuhn__dominated_moves_are_never_played(technique, selection, signed):
    spec = f"{technique}:iterations=5000,selection={selection}"
    for moves in FACING:
        assert kuhn(KING, moves, spec, signed).visits[FOLD] < 50
        assert kuhn(JACK, moves, spec, signed).visits[CALL] < 100


@pytest.mark.parametrize("technique", ["ismcts", "mom"])
def test_kuhn__tree_search_is_no_equilibrium(technique):
    """Published result of UCT on Kuhn poker: good play, but not the bluffs of an equilibrium.

    After a check, the equilibrium bets a jack one time in three; it also calls with a queen one
    time in three. A search takes all cards of the other player as equally likely, whatever that
    player did before. So a queen always calls, and a jack, which would be called, never bets.
    """
    spec = f"{technique}:iterations=20000"
    assert kuhn(JACK, (CHECK,), spec).plan[BET] < 0.05
    assert kuhn(QUEEN, (BET,), spec).plan[CALL] > 0.95


def test_kuhn__a_tree_per_player_knows_that_others_know_their_cards():
    """Strategy fusion: in one tree, the other answers a bet without knowing their own card.

    If a queen bets, a king calls and a jack folds: that is worse than a check. `mom` finds this,
    because the other player's nodes depend on their card. `ismcts` values bet and check alike.
    """
    mom, ismcts = (kuhn(QUEEN, (CHECK,), f"{name}:iterations=20000") for name in ("mom", "ismcts"))
    assert mom.values[BET] < mom.values[CHECK] - 0.1
    assert mom.action == CHECK
    assert abs(ismcts.values[BET] - ismcts.values[CHECK]) < 0.05


def test_kuhn__votes_of_single_guesses_fear_what_cannot_be_known():
    """In each of its guesses `dmcts` knows the other's card, so a queen folds to every king."""
    found = kuhn(QUEEN, (BET,), "dmcts:iterations=20000,trees=40")
    assert 0.25 < found.plan[FOLD] < 0.75
    assert kuhn(QUEEN, (BET,), "ismcts:iterations=20000").plan[FOLD] < 0.05


def test_signature__of_what_was_just_seen_gives_ismcts_the_same_tree():
    for card in (JACK, QUEEN, KING):
        one, two = (kuhn(card, (), "ismcts:iterations=3000", signed) for signed in (False, True))
        assert np.array_equal(one.visits, two.visits)
        assert one.nodes == two.nodes


def test_belief__changes_what_is_guessed():
    spec = "ismcts:iterations=5000"
    assert kuhn(QUEEN, (BET,), spec).action == CALL
    believing = kuhn(QUEEN, (BET,), spec + ",belief=bets_are_kings")
    assert believing.action == FOLD
    assert abs(believing.values[CALL] + 1) < 0.15  # a king takes both chips
    doubting = kuhn(QUEEN, (BET,), spec + ",belief=bets_are_kings:doubt=1")
    assert doubting.action == CALL
