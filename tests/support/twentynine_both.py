"""A referee together with our engine: all that a test does is done to both.

Tests of single rules use this one, so that each hand-made deal checks the plain-Python referee by
what the test says, and the compiled rules by agreement with the referee.
"""

from typing import Any

import numpy as np
import twentynine_referee
from twentynine_referee import SEVENTH

from bidarena.envs import make_game
from bidarena.envs.rng import WORDS
from bidarena.envs.twentynine.rules.layout import STATE, S, card_of


class Referee(twentynine_referee.Referee):
    """The referee of twentynine_referee.py; it fails when the engine disagrees about anything."""

    def __init__(self, **options: Any) -> None:
        try:
            super().__init__(**options)
        except ValueError as theirs:
            refused = _refusal(options)
            assert refused, f"the engine accepts what the referee refuses: {theirs}"
            raise
        self.game = make_game("twentynine", **options)
        assert self.game.actions == self.options.num_actions
        self.rng = np.arange(1, WORDS + 1, dtype=np.uint64)
        self.state = self.game.new_state(self.rng)

    def deal(self, first_four: Any, second_four: Any, seventh: Any = None) -> None:
        super().deal(first_four, second_four, seventh)
        for part, fours in (("hands", first_four), ("rest", second_four)):
            self.state[STATE[part]] = [sum(1 << card_of(c) for c in four) for four in fours]
        self._compare()

    def play(self, action: int) -> None:
        super().play(action)
        self.game.call("step")(self.game.cfg, self.state, action, self.rng)
        if action == SEVENTH:  # the test has chosen which card of the bidder it is
            suit = "SDHC".index(str(self.trump))
            hand = int(self.state[S.hands + int(self.bidder or 0)])
            own = [card for card in range(32) if hand >> card & 1 and card >> 3 == suit]
            self.state[S.seventh] = own[0]
            self.state[S.trump] = suit
        if not self.needs_deal:
            self._compare()

    def _compare(self) -> None:
        game, state = self.game, self.state
        mover = int(game.call("to_move")(game.cfg, state))
        if self.over:
            assert mover == (-2 if self.cut_short else -1)
            result = np.zeros(4)
            game.call("returns")(game.cfg, state, result)
            assert np.allclose(result, self.result())
        else:
            assert mover == self.turn
            mask = np.zeros(game.actions, np.int8)
            game.call("legal")(game.cfg, state, mask)
            assert np.flatnonzero(mask).tolist() == self.legal()
        if not self.over or self.options.match_to is None:
            assert state[STATE["points"]].tolist() == self.points
            assert int(state[S.trick]) == len(self.tricks)
            assert int(state[S.target]) == (self.target or 0)
        assert state[STATE["score"]].tolist() == list(self.scores)


def _refusal(options: dict[str, Any]) -> bool:
    """Return whether the engine refuses these options and names one of them."""
    try:
        make_game("twentynine", **options)
    except ValueError as wrong:
        return any(f"{name}=" in str(wrong) for name in options)
    return False
