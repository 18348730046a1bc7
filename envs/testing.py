"""A conformance kit: does a game, ours or yours, keep every promise of this package?

    from bidarena.envs.testing import check_game, check_bot

    check_game("my_nim:nim")             # rules, interfaces, the checkers of other libraries
    check_bot("my_nim:nim", "clever")    # legal, repeatable, sees nothing hidden

Every check raises an AssertionError that says what was broken. The single checks can be called too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bidarena.envs.game import CUT_SHORT, RULES, Game
from bidarena.envs.registry import Bot, make_bot, make_game
from bidarena.envs.rng import WORDS, seeded
from bidarena.envs.testing_facts import check_hidden, check_signature, check_withdraw
from bidarena.envs.testing_interfaces import (
    check_determinism,
    check_gymnasium,
    check_illegal_actions,
    check_pettingzoo,
    check_pickling,
    check_rows,
    check_sb3,
)

State = NDArray[np.int64]

WAYS = 6  # in which a pair of deals is played on


def check_game(game: str | Game, *, games: int = 20, seed: int = 0, **rules: Any) -> None:
    """Run every check of this module that is about a game.

    Args:
        game: a registered name, or a `Game`.
        games: how many random games to walk through.
        seed: of those games.
        **rules: the rules of the game.
    """
    made = make_game(game, **rules)
    check_plain_python(made, seed=seed)  # first: here an index out of bounds is an error
    check_rules(made, games=games, seed=seed)
    check_determinize(made, games=games, seed=seed)
    check_hidden(made, random_states(made, games, seed))
    check_signature(made, random_states(made, games, seed))
    check_withdraw(made, random_states(made, games, seed))
    check_determinism(made, seed=seed)
    check_rows(made, seed=seed)
    check_illegal_actions(made, seed=seed)
    check_pickling(made, seed=seed)
    check_gymnasium(made)
    check_sb3(made)
    check_pettingzoo(made)


def check_bot(
    game: str | Game, bot: str | Bot, *, games: int = 20, seed: int = 0, **rules: Any
) -> None:
    """A compiled bot plays legally, repeatably, touches nothing, and sees nothing hidden.

    Hidden means: replaced by `determinize`. In every state of some random games, whatever the
    player cannot know is replaced by other consistent guesses; with the same seed the bot must
    choose the same action. So it must where only an unseen move or the deal makes a difference that
    is not observed, whatever `determinize` does.
    """
    made = make_game(game, **rules)
    player = make_bot(made, bot) if isinstance(bot, str) else bot
    if not isinstance(player, Bot):
        return  # a callable is only ever shown an observation and a mask
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
    # Pairs that were not made by determinize, which may be the one that lets something through.
    pairs = [*_unseen_moves(made, games, seed), *_equal_looking_positions(made, seed)]
    for count, (mover, one, two) in enumerate(pairs):
        luck = seeded(np.random.default_rng([seed, count]), WORDS)
        _check_same_choice(made, player, mover, one, two, luck)


def _asked(game: Game, bot: Bot, state: State, mover: int, luck: NDArray[np.uint64]) -> int:
    """The choice of a bot that remembers nothing of what it was asked before."""
    if bot.outside is not None:
        bot.outside.forget()
        return int(bot.outside(state, mover, luck.copy()))
    scratch = np.zeros(game.actions, np.int8)
    act = game.compiled(bot.act, **bot.more)
    return int(act(game.cfg, bot.params, state, mover, luck.copy(), scratch))


def _check_same_choice(
    game: Game, bot: Bot, mover: int, one: State, two: State, luck: NDArray[np.uint64]
) -> None:
    chosen = [_asked(game, bot, state, mover, luck) for state in (one, two)]
    assert chosen[0] == chosen[1], (
        f"{bot.name} as player {mover} of {game} peeks: {chosen[0]} in {one.tolist()}, but "
        f"{chosen[1]} in {two.tolist()}, which look the same to this player"
    )


def _check_declared(game: Game, bot: Bot, state: State, mover: int, seed: int) -> None:
    """What a bot declares about its choices is true: deterministic, or drawn from a distribution.

    Of the distribution the likeliest action is compared with how often it is chosen.
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


def random_states(
    game: Game, games: int, seed: int, *, plain: bool = False
) -> Iterator[tuple[State, int, NDArray[np.uint64]]]:
    """States met in random games, with the player to move and a generator to go on with.

    With `plain` the games are played by the uncompiled rules.
    """
    rules = game.rules if plain else {name: game.call(name) for name in RULES}
    source = np.random.default_rng(seed)
    for _ in range(games):
        rng = source.integers(1, 2**64, WORDS, dtype=np.uint64)
        state = np.zeros(game.state_size, np.int64)
        rules["reset"](game.cfg, state, rng)
        decisions = 0
        while (mover := int(rules["to_move"](game.cfg, state))) >= 0:
            decisions += 1
            assert decisions <= game.longest, f"{game} went on after {game.longest} decisions"
            yield state.copy(), mover, rng.copy()
            mask = np.zeros(game.actions, np.int8)
            rules["legal"](game.cfg, state, mask)
            assert mask.any(), f"{game}: no legal action in {state.tolist()}"
            action = int(source.choice(np.flatnonzero(mask)))
            before = state.copy()
            rules["step"](game.cfg, state, action, rng)
            assert not np.array_equal(state, before), f"{game}: action {action} changed nothing"


def check_rules(game: Game, *, games: int = 20, seed: int = 0) -> None:
    """Masks, observations, returns and length of random games; every legal action is tried."""
    low, high = game.observation_range
    legal, step, to_move = game.call("legal"), game.call("step"), game.call("to_move")
    observe, returns = game.call("observe"), game.call("returns")
    for state, mover, rng in random_states(game, games, seed):
        assert 0 <= mover < game.players, f"{game}: to_move gave {mover}"
        for player in range(game.players):
            view = np.full(game.observation_size, np.nan, np.float32)
            observe(game.cfg, state, player, view)
            assert np.isfinite(view).all(), f"{game}: observation not written: {view}"
            inside = (view >= low).all() and (view <= high).all()
            assert inside, f"{game}: {view} is outside [{low}, {high}]"
        mask = np.full(game.actions, 7, np.int8)
        legal(game.cfg, state, mask)
        assert np.isin(mask, (0, 1)).all(), f"{game}: legal left parts of the mask unwritten"
        assert mask.any(), f"{game}: no legal action in {state.tolist()}"
        for action in np.flatnonzero(mask):
            after = state.copy()
            step(game.cfg, after, int(action), rng.copy())
            assert not np.array_equal(after, state), f"{game}: action {action} changed nothing"
            status = int(to_move(game.cfg, after))
            assert CUT_SHORT <= status < game.players, f"{game}: to_move gave {status}"
            if status < 0:
                result = np.full(game.players, np.nan)
                returns(game.cfg, after, result)
                _check_returns(game, result)


def _check_returns(game: Game, result: NDArray[np.float64]) -> None:
    low, high = game.return_range
    assert np.isfinite(result).all(), f"{game}: returns not written: {result}"
    inside = (result >= low - 1e-9).all() and (result <= high + 1e-9).all()
    assert inside, f"{game}: returns {result} outside [{low}, {high}]"
    if game.zero_sum:
        assert abs(result.sum()) < 1e-9, f"{game}: returns {result} do not add to 0"


def check_plain_python(game: Game, *, seed: int = 0, games: int = 2) -> None:
    """Every legal action in uncompiled rules, where an index out of bounds is an error.

    Compiled code would read or write anywhere instead. Then both kinds must agree.
    """
    try:
        with np.errstate(all="ignore"):
            states = list(random_states(game, games, seed, plain=True))
            plain = [_consequences(game, game.rules, *state) for state in states]
    except (IndexError, TypeError, ValueError, ZeroDivisionError) as wrong:
        raise AssertionError(f"{game}: the rules fail in plain Python: {wrong!r}") from wrong
    rules = {name: game.call(name) for name in RULES}
    for state, expected in zip(states, plain, strict=True):
        for before, after in zip(expected, _consequences(game, rules, *state), strict=True):
            same = np.allclose(before, after, equal_nan=True)
            assert same, f"{game}: plain Python gives {before}, compiled {after} in {state[0]}"


def _consequences(
    game: Game, rules: Mapping[str, Any], state: State, mover: int, rng: NDArray[np.uint64]
) -> list[NDArray[Any]]:
    """Everything the seven functions make of a state."""
    mask = np.zeros(game.actions, np.int8)
    rules["legal"](game.cfg, state.copy(), mask)
    found: list[NDArray[Any]] = [mask]
    for player in range(game.players):
        view = np.zeros(game.observation_size, np.float32)
        rules["observe"](game.cfg, state.copy(), player, view)
        guess, words = state.copy(), rng.copy()
        rules["determinize"](game.cfg, guess, player, words)
        found += [view, guess, words]
    for action in np.flatnonzero(mask)[:20]:
        after, words = state.copy(), rng.copy()
        rules["step"](game.cfg, after, int(action), words)
        status = int(rules["to_move"](game.cfg, after))
        found += [after, words, np.array(status)]
        if status < 0:
            result = np.zeros(game.players)
            rules["returns"](game.cfg, after, result)
            found.append(result)
    return found


def check_determinize(game: Game, *, games: int = 20, seed: int = 0) -> None:
    """A guess looks to the player exactly like the truth, and is a state one can play on from."""
    legal, step, to_move = game.call("legal"), game.call("step"), game.call("to_move")
    observe, determinize = game.call("observe"), game.call("determinize")
    for state, mover, rng in random_states(game, games, seed):
        for player in range(game.players):
            guess, again = state.copy(), state.copy()
            determinize(game.cfg, again, player, rng.copy())
            determinize(game.cfg, again, player, rng.copy())
            determinize(game.cfg, guess, player, rng.copy())
            assert np.array_equal(guess, again), (
                f"{game}: with the same random numbers player {player} guesses {guess.tolist()} "
                f"from the truth but {again.tolist()} from another guess: the guess depends on "
                "what he cannot know"
            )
            views = []
            for seen in (state, guess):
                view = np.zeros(game.observation_size, np.float32)
                observe(game.cfg, seen, player, view)
                views.append(view)
            assert np.array_equal(views[0], views[1]), (
                f"{game}: a guess changed what player {player} sees"
            )
            status = int(to_move(game.cfg, guess))
            assert status == mover, f"{game}: a guess changed who is to move: {mover} -> {status}"
            masks = []
            for seen in (state, guess):
                mask = np.zeros(game.actions, np.int8)
                legal(game.cfg, seen, mask)
                masks.append(mask)
            if mover == player:
                assert np.array_equal(masks[0], masks[1]), (
                    f"{game}: a guess changed player {player}'s moves"
                )
            assert masks[1].any(), f"{game}: no legal action in the guess {guess.tolist()}"
            for _ in range(game.longest):
                if (status := int(to_move(game.cfg, guess))) < 0:
                    break
                legal(game.cfg, guess, masks[1])
                action = int(np.flatnonzero(masks[1])[0])
                step(game.cfg, guess, action, rng)
            assert int(to_move(game.cfg, guess)) < 0, f"{game}: a guess could not be played out"
    _check_nothing_shines_through(game, games, seed)


def _check_nothing_shines_through(game: Game, games: int, seed: int) -> None:
    """Guesses from two states that one player cannot tell apart are distributed alike.

    Such pairs are made in two ways: a player commits two different moves that are still unseen, and
    two deals look the same to a player before anybody has moved.
    """
    for player, one, two in [*_unseen_moves(game, games, seed), *_equal_looking_deals(game, seed)]:
        views = [np.zeros(game.observation_size, np.float32) for _ in range(2)]
        for state, view in zip((one, two), views, strict=True):
            game.call("observe")(game.cfg, state, player, view)
        assert np.array_equal(views[0], views[1]), f"{game}: player {player} sees an unseen move"
        draws = 200
        counts: list[Counter[tuple[int, ...]]] = []
        for which, state in enumerate((one, two)):
            rng = np.random.default_rng([seed, which]).integers(1, 2**64, WORDS, dtype=np.uint64)
            seen: Counter[tuple[int, ...]] = Counter()
            for _ in range(draws):
                guess = state.copy()
                game.call("determinize")(game.cfg, guess, player, rng)
                seen[tuple(guess.tolist())] += 1
            counts.append(seen)
        keys = set(counts[0]) | set(counts[1])
        pairs = [(counts[0][key], counts[1][key]) for key in keys]
        distance = sum((a - b) ** 2 / (a + b) for a, b in pairs)
        # About chi-square with len(keys) - 1 degrees of freedom if both are drawn alike.
        degrees = len(keys) - 1
        assert distance < degrees + 6 * np.sqrt(2 * degrees) + 20, (
            f"{game}: what player {player} cannot know shines through his guesses: they differ "
            f"between {one.tolist()} and {two.tolist()}"
        )


def _unseen_moves(game: Game, games: int, seed: int) -> Iterator[tuple[int, State, State]]:
    """(player, state, state) that differ only in what another player committed at this moment."""
    if game.simultaneous is None:
        return
    moment = game.state[game.simultaneous]
    for count, (state, _, rng) in enumerate(random_states(game, games, seed)):
        mask = np.zeros(game.actions, np.int8)
        game.call("legal")(game.cfg, state, mask)
        options = np.flatnonzero(mask)
        pair = [state.copy(), state.copy()]
        for after, action in zip(pair, (options[0], options[-1]), strict=True):
            game.call("step")(game.cfg, after, int(action), rng.copy())
        unseen = all(np.array_equal(after[moment], state[moment]) for after in pair)
        if len(options) > 1 and unseen and count % 3 == 0:
            yield int(game.call("to_move")(game.cfg, pair[0])), pair[0], pair[1]


def _equal_looking_deals(game: Game, seed: int) -> Iterator[tuple[int, State, State]]:
    """(player, state, state) freshly dealt, different, and the same to that player."""
    source = np.random.default_rng(seed)
    deals = [game.new_state(source.integers(1, 2**64, 2, dtype=np.uint64)) for _ in range(50)]
    for player in range(game.players):
        known: dict[bytes, State] = {}
        found = 0
        for state in deals:
            view = np.zeros(game.observation_size, np.float32)
            game.call("observe")(game.cfg, state, player, view)
            other = known.setdefault(view.tobytes(), state)
            if not np.array_equal(other, state) and found < 3:
                found += 1
                yield player, other, state


def _equal_looking_positions(game: Game, seed: int) -> Iterator[tuple[int, State, State]]:
    """(player to move, state, state): what becomes of such deals while they look the same to him.

    Both are played on with the same actions and the same chance.
    """
    source = np.random.default_rng(seed)
    for player, *deals in _equal_looking_deals(game, seed):
        for _ in range(WAYS):
            pair = [deal.copy() for deal in deals]
            for _ in range(game.longest):
                movers = [int(game.call("to_move")(game.cfg, state)) for state in pair]
                views = np.zeros((2, game.observation_size), np.float32)
                masks = np.zeros((2, game.actions), np.int8)
                if movers[0] != movers[1] or movers[0] < 0:
                    break
                for state, view, mask in zip(pair, views, masks, strict=True):
                    game.call("observe")(game.cfg, state, player, view)
                    game.call("legal")(game.cfg, state, mask)
                both = np.flatnonzero(masks[0] & masks[1])
                if not np.array_equal(*views) or not len(both):
                    break
                if movers[0] == player:
                    yield player, pair[0].copy(), pair[1].copy()
                action, rng = int(source.choice(both)), seeded(source, WORDS)
                for state in pair:
                    game.call("step")(game.cfg, state, action, rng.copy())
