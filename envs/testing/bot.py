"""The part of the conformance kit about bots: legal, repeatable, fair, and as they declare."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from bidarena.envs.game import Game, Rng, State
from bidarena.envs.registry import Bot, make_bot, make_game
from bidarena.envs.rng import WORDS, seeded
from bidarena.envs.testing.states import equal_looking_positions, random_states, unseen_moves


def check_bot(
    game: str | Game, bot: str | Bot, *, games: int = 20, seed: int = 0, **rules: Any
) -> None:
    """Check that a bot acts legally, repeatably, and by nothing that its player cannot know.

    In every state of some random games `determinize` replaces what the player cannot know by other
    guesses. With the same seed the bot must choose the same action. It must also do so in pairs of
    states that look alike to the player and were not made by `determinize`, which may be wrong
    itself: they differ in a hidden move, or in the deal. What the bot declares of its choices, such
    as `deterministic`, `distribution` and `foresight`, is compared with what it does.

    A callable `(observation, mask) -> action` is not checked: it sees nothing else.

    Args:
        game: a registered name, or a `Game`.
        bot: a bot's name with options, or a `Bot`.
        games: how many random games to play.
        seed: of those games.
        **rules: the options of the game's rules.

    Raises:
        AssertionError: the bot breaks a promise; the message says which.
    """
    made = make_game(game, **rules)
    player = make_bot(made, bot) if isinstance(bot, str) else bot
    if not isinstance(player, Bot):
        return
    legal, determinize = made.call("legal"), made.call("determinize")
    for count, (state, mover, rng) in enumerate(random_states(made, games, seed)):
        mask = np.zeros(made.actions, np.int8)
        legal(made.cfg, state, mask)
        before = state.copy()
        luck = seeded(np.random.default_rng([seed, count]), WORDS)
        action = _asked(made, player, state, mover, luck)
        who = f"{player.name} as player {mover} of {made}"
        assert 0 <= action < made.actions and mask[action], f"{who} chose illegal {action}"
        assert np.array_equal(state, before), f"{who} changed the state"
        again = _asked(made, player, state, mover, luck)
        assert again == action, f"{who} chose {action}, then {again} with the same seed"
        for _ in range(4):
            guess = state.copy()
            determinize(made.cfg, guess, mover, rng)
            _check_same_choice(made, player, mover, state, guess, luck)
        if count % 5 == 0:
            _check_declared(made, player, state, mover, seed)
            _check_foresight(made, player, state, mover, luck)
    pairs = [*unseen_moves(made, games, seed), *equal_looking_positions(made, seed)]
    for count, (mover, one, two) in enumerate(pairs):
        luck = seeded(np.random.default_rng([seed, count]), WORDS)
        _check_same_choice(made, player, mover, one, two, luck)


def _asked(game: Game, bot: Bot, state: State, mover: int, luck: Rng) -> int:
    """Return a bot's action, after it has forgotten all earlier moves."""
    if bot.outside is not None:
        bot.outside.forget()
        return int(bot.outside(state, mover, luck.copy()))
    scratch = np.zeros(game.actions, np.int8)
    act = game.compiled(bot.act, **bot.more)
    return int(act(game.cfg, bot.params, state, mover, luck.copy(), scratch))


def _check_same_choice(game: Game, bot: Bot, mover: int, one: State, two: State, luck: Rng) -> None:
    """Assert that a bot acts alike in two states that look alike to the mover."""
    chosen = [_asked(game, bot, state, mover, luck) for state in (one, two)]
    assert chosen[0] == chosen[1], (
        f"{bot.name} as player {mover} of {game} peeks: {chosen[0]} in {one.tolist()}, but "
        f"{chosen[1]} in {two.tolist()}, which look the same to this player"
    )


def _check_foresight(game: Game, bot: Bot, state: State, mover: int, luck: Rng) -> None:
    """Assert that a bot acts alike at times at which more ticks are left than it foresees."""
    if bot.foresight is None or game.clock is None:
        return
    clock, last = game.state[game.clock].start, game.limit - 1 - bot.foresight
    chosen = {}
    for time in sorted({0, last // 2, last - 1, last}):
        if 0 <= time <= last:
            other = state.copy()
            other[clock] = time
            chosen[time] = _asked(game, bot, other, mover, luck)
    assert len(set(chosen.values())) <= 1, (
        f"{bot.name} as player {mover} of {game} declares foresight={bot.foresight}, but chose "
        f"{chosen} (time: action) in {state.tolist()}, with the limit at {game.limit}"
    )


def _check_declared(game: Game, bot: Bot, state: State, mover: int, seed: int) -> None:
    """Assert that the fields `deterministic` and `distribution` of a bot are true.

    Of the distribution, the probability of the likeliest action is compared with how often the bot
    chooses it.
    """
    if not bot.deterministic and bot.distribution is None:
        return
    who = f"{bot.name} as player {mover} of {game}"
    draws = 40
    scratch, words = np.zeros(game.actions, np.int8), seeded(np.random.default_rng(seed), WORDS)
    act = game.compiled(bot.act, **bot.more)
    chosen = Counter(
        int(act(game.cfg, bot.params, state, mover, words, scratch)) for _ in range(draws)
    )
    if bot.deterministic:
        assert len(chosen) == 1, f"{who} calls itself deterministic but chose all of {set(chosen)}"
    if bot.distribution is None:
        return
    out = np.full(game.actions, np.nan)
    game.compiled(bot.distribution, **bot.more)(game.cfg, bot.params, state, mover, scratch, out)
    mask = np.zeros(game.actions, np.int8)
    game.call("legal")(game.cfg, state, mask)
    proper = bool((out >= 0).all()) and abs(out.sum() - 1.0) < 1e-9 and not out[mask == 0].any()
    assert proper, f"{who}: {out.tolist()} is no distribution over its legal actions"
    for action in chosen:
        assert out[action] > 0, f"{who} chose {action}, which its distribution rules out"
    likeliest = int(out.argmax())
    spread = np.sqrt(draws * max(out[likeliest] * (1 - out[likeliest]), 0.0))
    assert abs(chosen[likeliest] - draws * out[likeliest]) <= 6 * spread + 1e-6, (
        f"{who} chose {likeliest} {chosen[likeliest]} times of {draws}, "
        f"but its distribution says {out[likeliest]:.3f}"
    )
