"""What is thought of every move in a position: by the exact solution, by a search, or by a bot.

Nothing is used that the player to move cannot know, so a hint may be shown to him.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bidarena.envs.game import Game, State
from bidarena.envs.registry import Bot, make_bot, make_game
from bidarena.envs.words import legal_actions, mover_of

ITERATIONS = 20_000  # of a search that nobody has chosen
QUICK_MONEY = 120  # Scotch with so much money each is solved while one waits ...
QUICK_LENGTH = 20  # ... on a line of this length
QUICK_CARDS = 7  # Raj
QUICK_COINS = 22  # Coins

Matrix = NDArray[np.float64]


@dataclass(frozen=True)
class Advice:
    """What is thought of one move; None where the source does not say."""

    action: int
    value: float | None  # what the player will win with it
    worst: float | None = None  # at least, whatever the other does at the same time
    share: float | None = None  # how likely the source would do it, or its share of the search


@dataclass(frozen=True)
class Hint:
    """What is thought of all moves, the best first."""

    source: str  # where it comes from
    value: str  # what `value` means
    share: str  # what `share` means
    moves: list[Advice]

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "source": self.source,
            "value": self.value,
            "share": self.share,
            "moves": [vars(advice) for advice in self.moves],
        }


def hint(game: Game, state: State, spec: str | None = None, *, seed: int = 0) -> Hint:
    """What is thought of the moves of the player to move.

    Args:
        game: any game.
        state: a position that is not over.
        spec: "exact", a search with its options, or another bot that says how likely its moves are;
            None: the exact solution where it is found in no time, else a search.
        seed: of a search.
    """
    if mover_of(game, state) < 0:
        raise ValueError("state: the game is over, there is nothing to choose")
    if len(only := legal_actions(game, state)) == 1:
        return Hint("the rules: there is only one move", "", "", [Advice(only[0], None)])
    if spec == "exact":
        found = _exact(game, state, patient=True)
        if found is None:
            solved = ", ".join(_EXACT)
            raise ValueError(f"hints='exact': {game.name} is not solved; solved are {solved}")
        return found
    if spec is None:
        found = _exact(game, state, patient=False)
        if found is not None:
            return found
        open_game = not game.hidden and game.simultaneous is None
        spec = f"{'mcts' if open_game else 'ismcts'}:iterations={ITERATIONS}"
    return _of_bot(game, state, spec, seed)


def _sorted(moves: list[Advice]) -> list[Advice]:
    """The likeliest first where that is what counts, else the most valuable."""

    def rank(advice: Advice) -> tuple[float, ...]:
        value = -np.inf if advice.value is None else round(advice.value, 9)
        worst = value if advice.worst is None else round(advice.worst, 9)
        return (advice.share or 0.0, worst, value, -advice.action)

    return sorted(moves, key=rank, reverse=True)


# --- a search, or any bot ------------------------------------------------------------------------


def _of_bot(game: Game, state: State, spec: str, seed: int) -> Hint:
    from bidarena.baselines.search.analyse import analyse
    from bidarena.baselines.search.think import search_act

    bot = make_bot(game, spec)
    if isinstance(bot, Bot) and bot.act is search_act:
        found = analyse(game, state, mover_of(game, state), bot, seed)
        if not found.visits.sum():  # a book of the bot knew the move
            return _only(game, state, found.action, f"{spec}, from its book")
        moves = [
            Advice(
                action,
                None if np.isnan(found.values[action]) else float(found.values[action]),
                share=float(found.plan[action]),
            )
            for action in legal_actions(game, state)
        ]
        source = f"{spec}: {found.iterations:,} iterations in {found.seconds:.2f} s"
        return Hint(source, "mean result in the search", "share of the search", _sorted(moves))
    if not isinstance(bot, Bot) or bot.distribution is None:
        raise ValueError(
            f"hints={spec!r}: expected 'exact', a search such as 'ismcts:iterations=5000', or a "
            "bot that says how likely its moves are"
        )
    chances = _distribution(game, bot, state, mover_of(game, state))
    moves = [Advice(a, None, share=float(chances[a])) for a in legal_actions(game, state)]
    return Hint(f"the bot {spec}", "", "probability", _sorted(moves))


def _only(game: Game, state: State, action: int, source: str) -> Hint:
    moves = [Advice(a, None, share=float(a == action)) for a in legal_actions(game, state)]
    return Hint(source, "", "chosen", _sorted(moves))


def _distribution(game: Game, bot: Bot, state: State, player: int) -> Matrix:
    out, scratch = np.zeros(game.actions), np.zeros(game.actions, np.int8)
    assert bot.distribution is not None
    asked = game.compiled(bot.distribution, **bot.more)
    asked(game.cfg, bot.params, state.copy(), player, scratch, out)
    return out


# --- exact solutions -----------------------------------------------------------------------------


def _exact(game: Game, state: State, *, patient: bool) -> Hint | None:
    """From the solution; None if there is none, or if it would take long and nobody is patient."""
    if game.name not in _EXACT or not (patient or _quick(game)):
        return None
    try:
        return _EXACT[game.name](game, state, patient)
    except ValueError:
        if patient:
            raise
        return None


def _quick(game: Game) -> bool:
    options = game.options
    if game.name == "scotch":
        return max(options["money"]) <= QUICK_MONEY and options["length"] <= QUICK_LENGTH
    if game.name == "raj":
        return len(options["cards"]) <= QUICK_CARDS
    return True  # what is left on a board of coins decides


def _of_matrix(
    game: Game, state: State, bot: Bot, actions: tuple[list[int], list[int]], matrix: Matrix
) -> Hint:
    """Moves made at the same time: rows are the player's actions, columns the other's."""
    player = mover_of(game, state)
    own = _distribution(game, bot, state, player)
    replies = _distribution(game, bot, state, 1 - player)[actions[1]]
    values, worst = matrix @ replies, matrix.min(axis=1)
    moves = [
        Advice(action, float(values[k]), float(worst[k]), float(own[action]))
        for k, action in enumerate(actions[0])
    ]
    return Hint(
        "the exact solution", "against perfect play", "probability in perfect play", _sorted(moves)
    )


def _scotch(game: Game, state: State, patient: bool) -> Hint:
    from bidarena.baselines.scotch_exact import solution_of
    from bidarena.baselines.solvers.scotch import bids_matrix, find, rounds_into
    from bidarena.envs.compile import compiled
    from bidarena.envs.scotch.rules import PURSE

    bot = make_bot(game, "exact")
    solution, cfg = solution_of(game), game.cfg
    numbers = solution.book.numbers
    won, lost, tied = np.zeros((3, int(cfg[PURSE] + cfg[PURSE + 1]) + 2))
    position = int(find(cfg, numbers, state))
    fill = compiled(rounds_into, {}, "scotch")
    own, other = fill(cfg, numbers, solution.values, position, won, lost, tied)
    matrix = np.asarray(bids_matrix(own, other, won, lost, tied))  # of player 0
    bids = [list(range(min(money, 1), money + 1)) for money in (own, other)]
    if mover_of(game, state) == 0:
        return _of_matrix(game, state, bot, (bids[0], bids[1]), matrix)
    return _of_matrix(game, state, bot, (bids[1], bids[0]), -matrix.T)


def _raj(game: Game, state: State, patient: bool) -> Hint:
    from bidarena.baselines.raj_exact import solution_of
    from bidarena.baselines.solvers.raj import (
        BANKS,
        DIFFERENCE,
        cards_matrix,
        find_slot,
        hands_of,
        pair_of,
    )
    from bidarena.envs.raj.rules import HANDS, LEFT, POT, UNIT, banks_at

    bot = make_bot(game, "exact")
    solution, cfg, player = solution_of(game), game.cfg, mover_of(game, state)
    numbers = solution.book.numbers
    banks = int(banks_at(cfg))
    ahead = int(state[banks + player] - state[banks + 1 - player])
    hands = [int(state[HANDS + seat]) for seat in (player, 1 - player)]
    slot = find_slot(
        numbers, int(state[LEFT]), int(state[POT]), ahead if numbers[BANKS] == DIFFERENCE else 0, 0
    )
    pair = pair_of(cfg, numbers, *hands)
    alike = hands_of(cfg, numbers, hands[0].bit_count(), pair)  # but for cards that nobody holds
    matrix = np.asarray(cards_matrix(cfg, numbers, solution.values, slot, *alike))
    if game.options["reward"] == "margin":  # the solution counts what is yet to come
        matrix = matrix + ahead / int(cfg[UNIT])
    held = [[card for card in range(game.actions) if hand >> card & 1] for hand in hands]
    return _of_matrix(game, state, bot, (held[0], held[1]), matrix)


def _coins(game: Game, state: State, patient: bool) -> Hint | None:
    """The coins that are left are a board of their own, and mostly a small one."""
    from bidarena.baselines.solvers.coins import is_lost, table_of
    from bidarena.envs.coins.env import action_of, segment_of
    from bidarena.envs.coins.lines import coins_of, mask_of
    from bidarena.envs.coins.rules import BOARD, BONUS, COLOURS, PLAIN, TOTALS, UNIT, VALUES

    lying = coins_of(int(state[BOARD]))
    if len(lying) > QUICK_COINS and not patient:
        return None
    small = _what_is_left(game, state)
    table, by_points = table_of(small), game.options["score"] == "points"
    values = state[VALUES:].tolist() if game.cfg[COLOURS] != PLAIN else []
    player, full = mover_of(game, state), (1 << len(lying)) - 1
    moves = []
    for action in legal_actions(game, state):
        take = mask_of(lying.index(coin) for coin in segment_of(game, action))
        action_of(small, coins_of(take))  # a ValueError if the small board had other lines
        after = full ^ take
        if by_points:
            gain = sum(values[coin] for coin in segment_of(game, action))
            end = gain + int(game.cfg[BONUS]) if after == 0 else gain - int(table[after])
            value = float(end + state[TOTALS + player] - state[TOTALS + 1 - player])
            if game.options["reward"] == "margin":
                value /= float(game.cfg[UNIT])
        elif after == 0:
            value = 1.0 if game.options["last_coin"] == "wins" else -1.0
        else:
            value = 1.0 if is_lost(table, after) else -1.0
        moves.append(Advice(action, value))
    meaning = "result, if both play perfectly"
    if by_points and game.options["reward"] == "outcome":
        meaning = "points ahead at the end, if both play perfectly"
    return Hint("the exact solution", meaning, "", _sorted(moves))


def _what_is_left(game: Game, state: State) -> Game:
    """The game of the coins that still lie: what has been taken is a hole."""
    from bidarena.envs.coins.env import board_of
    from bidarena.envs.coins.rules import BOARD, COLOURS, PLAIN, VALUES

    board, position = board_of(game), int(state[BOARD])
    widths = [0] * board.rows
    for row, column in board.cells:
        widths[row] = max(widths[row], column + 1)
    if not board.triangular:
        widths = [board.columns] * board.rows
    elif len(set(widths)) == 1:
        widths[0] += 1  # equal rows would be read as a rectangle; a hole at the end changes nothing
    signs = [["."] * width for width in widths]
    values = []
    for coin, (row, column) in enumerate(board.cells):
        if position >> coin & 1:
            signs[row][column] = "*"
            if game.cfg[COLOURS] != PLAIN:
                values.append(int(state[VALUES + coin]))
    options = {**game.options, "board": "/".join("".join(row) for row in signs), "colours": None}
    if options["max_take"] is not None:
        options["max_take"] = min(options["max_take"], position.bit_count())
    options["values"] = values or None
    return make_game("coins", **options)


_EXACT: dict[str, Any] = {"scotch": _scotch, "raj": _raj, "coins": _coins}
