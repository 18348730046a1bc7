"""The conformance kit: good games and bots pass, and every broken promise is caught."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import toy_nim
import toy_sealed
from toy_sealed import CARDS, HANDS, PLAYED, PLAYERS, PRIZE, ROUND, SCORE
from toy_sealed import determinize as sealed_determinize
from toy_sealed import observe as sealed_observe
from toy_sealed import returns as sealed_returns
from toy_sealed import step as sealed_step
from toy_sealed import to_move as sealed_to_move

from bidarena.envs import Bot
from bidarena.envs.game import Game
from bidarena.envs.scotch.rules import S
from bidarena.envs.testing import check_bot, check_determinize, check_game, check_rules

SEALED = toy_sealed.sealed(players=2, sides=(0, 1))
SMALL_SCOTCH = {"length": 4, "money": (3, 3)}


def broken(game: Game = SEALED, **rules: Any) -> Game:
    """Return a game with some of its rules replaced by wrong ones."""
    return replace(game, rules={**game.rules, **rules})


# --- good games and bots -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("game", "rules"),
    [
        ("toy_nim", {}),
        ("toy_nim", {"heap": 5, "random_heap": True}),
        ("toy_sealed", {}),
        ("toy_sealed", {"players": 3, "sides": (0, 1, 2)}),
        ("toy_sealed", {"players": 2, "sides": (0, 1), "rounds": 3}),
        ("scotch", SMALL_SCOTCH),
        ("scotch", {**SMALL_SCOTCH, "know_opponent_money": False, "tie": "coin"}),
        ("scotch", {**SMALL_SCOTCH, "payment": "opponent", "max_rounds": 5}),
    ],
)
def test_check_game__passes_good_games(game, rules):
    check_game(game, games=5, **rules)


def test_check_game__takes_a_ready_game():
    check_game(SEALED, games=3)


@pytest.mark.parametrize(
    ("game", "bot"),
    [
        ("toy_nim", "perfect"),
        ("toy_nim", "random"),
        ("toy_nim", "one_by_one"),
        ("toy_sealed", "highest"),
        ("toy_sealed", "random"),
        ("scotch", "uniform:high=2"),
    ],
)
def test_check_bot__passes_good_bots(game, bot):
    check_bot(game, bot, games=5)


# --- games that hide badly -----------------------------------------------------------------------


def _keeps_the_card(cfg, state, player, rng):
    pass


def test_kit__catches_a_determinize_that_leaks_the_committed_move():
    with pytest.raises(AssertionError):
        check_game(broken(determinize=_keeps_the_card))


def _keeps_some_of_the_card(cfg, state, player, rng):
    other = 1 - player
    if state[PLAYED + other] > 0:  # tells whether the hidden card is the 0
        state[PLAYED + other] = cfg[CARDS] - 1


def test_kit__catches_a_determinize_that_leaks_part_of_the_committed_move():
    game = toy_sealed.sealed(players=2, sides=(0, 1), rounds=1)
    with pytest.raises(AssertionError):
        check_game(broken(game, determinize=_keeps_some_of_the_card))


def _changes_the_score(cfg, state, player, rng):
    sealed_determinize(cfg, state, player, rng)
    state[SCORE + player] = 0


def test_kit__catches_a_determinize_that_changes_the_observation():
    with pytest.raises(AssertionError, match=r"a guess changed what player . sees"):
        check_game(broken(determinize=_changes_the_score))


def _takes_the_card_back(cfg, state, player, rng):
    state[PLAYED + 1 - player] = -1


def test_kit__catches_a_determinize_that_changes_who_moves():
    with pytest.raises(AssertionError, match=r"a guess changed who is to move"):
        check_game(broken(determinize=_takes_the_card_back))


def _invents_a_hand(cfg, state, player, rng):
    state[HANDS + player] = (1 << cfg[CARDS]) - 1


def _sees_no_hands(cfg, state, player, out):
    out[:] = 0.0
    out[0] = state[PRIZE] / 3.0


def test_kit__catches_a_determinize_that_changes_the_movers_moves():
    with pytest.raises(AssertionError, match=r"a guess changed player .'s moves"):
        check_game(broken(determinize=_invents_a_hand, observe=_sees_no_hands))


def _shows_the_card(cfg, state, player, out):
    sealed_observe(cfg, state, player, out)
    out[0] = (1.0 + state[PLAYED + 1 - player]) / (1.0 + cfg[CARDS])


def test_kit__catches_an_observation_that_shows_the_committed_move():
    with pytest.raises(AssertionError, match=r"a guess changed what player . sees"):
        check_game(broken(observe=_shows_the_card))


def test_kit__catches_an_observation_that_shows_what_determinize_keeps():
    with pytest.raises(AssertionError):
        check_game(broken(observe=_shows_the_card, determinize=_keeps_the_card))


# --- games with wrong rules ----------------------------------------------------------------------


def _offers_everything(cfg, state, mask):
    mask[:] = 1


def _ignores_played_cards(cfg, state, action, rng):
    seat = sealed_to_move(cfg, state)
    if (state[HANDS + seat] >> action) & 1:
        sealed_step(cfg, state, action, rng)


def test_kit__catches_a_mask_that_offers_what_step_ignores():
    game = broken(legal=_offers_everything, step=_ignores_played_cards)
    with pytest.raises(AssertionError):
        check_game(game)
    with pytest.raises(AssertionError, match=r"action . changed nothing"):
        check_rules(game)


BAD_CARD = 6  # an index of cfg that a game of two players does not use


def _reads_beyond_the_cfg(cfg, state, action, rng):
    if action == cfg[BAD_CARD] and cfg[20] == -12345:
        state[ROUND] = 0
    sealed_step(cfg, state, action, rng)


@pytest.mark.parametrize("card", [0, 1, 2])
def test_kit__catches_an_action_for_which_step_reads_out_of_bounds(card):
    game = toy_sealed.sealed(players=2, sides=(0, 1), rounds=1)
    game.cfg[BAD_CARD] = card
    with pytest.raises(AssertionError):
        check_game(broken(game, step=_reads_beyond_the_cfg), games=2)


def _writes_half_the_mask(cfg, state, mask):
    mask[: len(mask) // 2] = 1


def test_kit__catches_a_mask_that_is_not_written():
    with pytest.raises(AssertionError, match="unwritten"):
        check_game(broken(legal=_writes_half_the_mask))


def _offers_nothing(cfg, state, mask):
    mask[:] = 0


def test_kit__catches_an_empty_mask():
    with pytest.raises(AssertionError, match="no legal action"):
        check_game(broken(legal=_offers_nothing))


def _counts_points_raw(cfg, state, player, out):
    sealed_observe(cfg, state, player, out)
    out[0] = 1.0 + state[SCORE + player]


def test_kit__catches_an_observation_out_of_bounds():
    with pytest.raises(AssertionError, match=r"outside \[0.0, 1.0\]"):
        check_game(broken(observe=_counts_points_raw))


def _sees_infinity(cfg, state, player, out):
    sealed_observe(cfg, state, player, out)
    out[1] = np.inf


def test_kit__catches_an_observation_that_is_not_finite():
    with pytest.raises(AssertionError, match="observation"):
        check_game(broken(observe=_sees_infinity))


def _writes_half_the_observation(cfg, state, player, out):
    out[:3] = 0.0


def test_kit__catches_an_observation_that_is_not_written():
    with pytest.raises(AssertionError, match="observation not written"):
        check_game(broken(observe=_writes_half_the_observation))


def _everybody_wins(cfg, state, out):
    out[:] = 1.0


def test_kit__catches_returns_that_do_not_add_to_zero():
    with pytest.raises(AssertionError, match="do not add to 0"):
        check_game(broken(returns=_everybody_wins))
    check_rules(replace(broken(returns=_everybody_wins), zero_sum=False), games=3)


def _counts_double(cfg, state, out):
    sealed_returns(cfg, state, out)
    out[:] *= 2.0


def test_kit__catches_returns_out_of_their_range():
    with pytest.raises(AssertionError, match="returns"):
        check_game(broken(returns=_counts_double))


def _pays_the_first_only(cfg, state, out):
    out[0] = 0.0


def test_kit__catches_returns_that_are_not_written():
    with pytest.raises(AssertionError, match="returns not written"):
        check_game(broken(returns=_pays_the_first_only))


def test_kit__catches_a_game_longer_than_declared():
    with pytest.raises(AssertionError, match="went on after 3 decisions"):
        check_game(replace(SEALED, longest=3))


def _never_ends(cfg, state):
    return 0 if state[PLAYED] < 0 else 1


def test_kit__catches_a_game_that_never_ends():
    with pytest.raises(AssertionError):
        check_game(broken(to_move=_never_ends))


def _names_a_stranger(cfg, state):
    mover = sealed_to_move(cfg, state)
    return cfg[PLAYERS] if mover == 1 else mover


def test_kit__catches_a_mover_who_does_not_exist():
    with pytest.raises(AssertionError, match="to_move gave 2"):
        check_game(broken(to_move=_names_a_stranger))


# --- bots that break the rules -------------------------------------------------------------------


def bot(act: Any) -> Bot:
    return Bot(act.__name__.lstrip("_"), act, np.zeros(1))


def lowest(hand: int) -> int:
    card = 0
    while not (hand >> card) & 1:
        card += 1
    return card


def _peeks(cfg, params, state, player, rng, scratch):
    theirs = state[PLAYED + 1 - player]
    mine = lowest(state[HANDS + player])
    while theirs >= mine and (state[HANDS + player] >> (mine + 1)) > 0:
        mine += 1 + lowest(state[HANDS + player] >> (mine + 1))
    return mine


def test_kit__catches_a_bot_that_peeks():
    with pytest.raises(AssertionError, match=r"peeks as player 1.*peeks"):
        check_bot(SEALED, bot(_peeks))


def _plays_zero(cfg, params, state, player, rng, scratch):
    return 0


def _plays_far_out(cfg, params, state, player, rng, scratch):
    return 10**6


@pytest.mark.parametrize("act", [_plays_zero, _plays_far_out])
def test_kit__catches_a_bot_that_plays_illegally(act):
    with pytest.raises(AssertionError, match="chose illegal"):
        check_bot(SEALED, bot(act))


def _remembers(cfg, params, state, player, rng, scratch):
    params[0] = 1.0 - params[0]
    hand = state[HANDS + player]
    first = lowest(hand)
    rest = hand >> (first + 1)
    return first + 1 + lowest(rest) if params[0] == 1.0 and rest else first


def test_kit__catches_a_bot_that_is_not_repeatable():
    with pytest.raises(AssertionError, match="with the same seed"):
        check_bot(SEALED, bot(_remembers))


def _uses_another_generator(cfg, params, state, player, rng, scratch):
    hand = state[HANDS + player]
    card = int(np.random.random() * cfg[CARDS])  # noqa: NPY002  this is the mistake to catch
    return card if (hand >> card) & 1 else lowest(hand)


def test_kit__catches_a_bot_with_a_generator_of_its_own():
    with pytest.raises(AssertionError, match=r"with the same seed|peeks"):
        check_bot(SEALED, bot(_uses_another_generator))


def _meddles(cfg, params, state, player, rng, scratch):
    state[SCORE + player] += 1
    return lowest(state[HANDS + player])


def test_kit__catches_a_bot_that_changes_the_state():
    with pytest.raises(AssertionError, match="changed the state"):
        check_bot(SEALED, bot(_meddles))


def _counts_the_hidden_money(cfg, params, state, player, rng, scratch):
    own = state[S.money + player]
    return own if state[S.money + 1 - player] > 4 else min(own, 1)


def test_kit__catches_a_bot_that_counts_hidden_money():
    rules = {"length": 8, "money": (9, 9)}
    check_bot("scotch", bot(_counts_the_hidden_money), **rules)
    with pytest.raises(AssertionError, match="peeks"):
        check_bot("scotch", bot(_counts_the_hidden_money), know_opponent_money=False, **rules)


# --- the single checks ---------------------------------------------------------------------------


def test_check_determinize__passes_where_nothing_is_hidden():
    check_determinize(toy_nim.nim(), games=3)


def test_check_bot__finds_a_bot_by_name_and_its_options():
    with pytest.raises(ValueError, match="opponent='nobody'"):
        check_bot("toy_nim", "nobody")
