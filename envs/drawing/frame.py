"""What the views of all games begin with: who looks, who is called what, who moves, who has won."""

from __future__ import annotations

from typing import Any

import numpy as np

from bidarena.envs.game import CUT_SHORT, Game, State
from bidarena.envs.phrases import Viewer, mover_of, seat_names


def view_frame(game: Game, state: State, seat: Viewer) -> dict[str, Any]:
    """Return the first part of a view, the same in every game.

    Args:
        game: the game.
        state: its state.
        seat: who looks; None: a spectator, who sees everything.

    Returns:
        `seat`; `names` and `teams` of all seats; `mover`, None at the end; `over`; `cut`, whether
        the game reached a limit on its length; `winners`, the seats with the best result, empty
        while the game goes on and if all results are equal.
    """
    mover = mover_of(game, state)
    names = [f"player {player}" for player in range(game.players)]
    return {
        "seat": seat,
        "names": names if seat is None else seat_names(game, seat),
        "teams": list(game.teams),
        "mover": mover if mover >= 0 else None,
        "over": mover < 0,
        "cut": mover == CUT_SHORT,
        "winners": _winners(game, state) if mover < 0 else [],
    }


def _winners(game: Game, state: State) -> list[int]:
    """Return the seats with the best result; nobody if all results are equal."""
    results = np.zeros(game.players)
    game.call("returns")(game.cfg, state, results)
    best = results.max()
    if results.min() == best:
        return []
    return [player for player, result in enumerate(results) if result == best]


def auction_view(game: Game, state: State, seat: Viewer) -> dict[str, Any]:
    """Return the view of a game in which two players bid in secret: money, bids, the advantage.

    It shows all money and the last bids. A game that hides these must replace them.

    Returns:
        `view_frame`; `players`, for each `money` (the least and the most that they can have),
        `sealed` (whether a bid is committed and not opened yet), `bid` (that bid, None if `seat`
        cannot know it) and `last_bid` (None before the first round); `most`, what one player can
        have at most; `last_winner` and `advantage`, the player who wins ties (None: nobody);
        `round`, the number of finished rounds; `max_rounds`, `payment` and `tie` of the rules.
    """
    part = {name: state[where].tolist() for name, where in game.state.items()}
    (pending,), options = part["pending"], game.options
    players = []
    for player, money in enumerate(part["money"]):
        sealed = pending >= 0 and player == 0  # player 0 is asked first
        last = part["last_bids"][player]
        players.append(
            {
                "money": [money, money],
                "sealed": sealed,
                "bid": pending if sealed and seat in (None, player) else None,
                "last_bid": last if last >= 0 else None,
            }
        )
    (winner,), (advantage,), (rounds,) = part["last_winner"], part["advantage"], part["round"]
    purses = options["money"]
    return {
        **view_frame(game, state, seat),
        "players": players,
        "most": max(purses) if options["payment"] == "bank" else sum(purses),
        "last_winner": winner if winner >= 0 else None,
        "advantage": advantage if advantage >= 0 else None,
        "round": rounds,
        "max_rounds": options["max_rounds"],
        "payment": options["payment"],
        "tie": options["tie"],
    }
