"""Exact hints for Coins: the coins that are left are solved as a board of their own."""

from __future__ import annotations

from bidarena.baselines.coins.solver import is_lost, table_of
from bidarena.baselines.solvers.advice import Advice, Hint, best_first
from bidarena.envs.coins.env import action_of, board_of, segment_of
from bidarena.envs.coins.lines import coins_of, mask_of
from bidarena.envs.coins.rules import PLAIN, C, S
from bidarena.envs.game import Game, State
from bidarena.envs.phrases import legal_actions, mover_of
from bidarena.envs.registry import make_game

QUICK_COINS = 22  # a board with up to so many coins is solved in a few seconds


def exact_hint(game: Game, state: State, patient: bool) -> Hint | None:
    """Return the exact worth of every move; None if solving takes long and `patient` is False."""
    lying = coins_of(int(state[S.board]))
    if len(lying) > QUICK_COINS and not patient:
        return None
    small = _what_is_left(game, state)
    table, by_points = table_of(small), game.options["score"] == "points"
    values = state[S.values :].tolist() if game.cfg[C.colours] != PLAIN else []
    player, full = mover_of(game, state), (1 << len(lying)) - 1
    moves = []
    for action in legal_actions(game, state):
        take = mask_of(lying.index(coin) for coin in segment_of(game, action))
        action_of(small, coins_of(take))  # raises ValueError if the small board has other lines
        after = full ^ take
        if by_points:
            gain = sum(values[coin] for coin in segment_of(game, action))
            end = gain + int(game.cfg[C.last_bonus]) if after == 0 else gain - int(table[after])
            value = float(end + state[S.points + player] - state[S.points + 1 - player])
            if game.options["reward"] == "margin":
                value /= float(game.cfg[C.unit])
        elif after == 0:
            value = 1.0 if game.options["last_coin"] == "wins" else -1.0
        else:
            value = 1.0 if is_lost(table, after) else -1.0
        moves.append(Advice(action, value))
    meaning = "result, if both play perfectly"
    if by_points and game.options["reward"] == "outcome":
        meaning = "points ahead at the end, if both play perfectly"
    return Hint("the exact solution", meaning, "", best_first(moves))


def _what_is_left(game: Game, state: State) -> Game:
    """Return the game with the coins that are left; holes are in the place of those taken."""
    board, position = board_of(game), int(state[S.board])
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
            if game.cfg[C.colours] != PLAIN:
                values.append(int(state[S.values + coin]))
    options = {**game.options, "board": "/".join("".join(row) for row in signs), "colours": None}
    if options["max_take"] is not None:
        options["max_take"] = min(options["max_take"], position.bit_count())
    options["values"] = values or None
    return make_game("coins", **options)
