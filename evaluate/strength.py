"""How strong a player is: matches against named rivals, and the exact measure of its game."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from bidarena.baselines.network import Network
from bidarena.baselines.solvers.policies import with_probabilities
from bidarena.envs.game import Game
from bidarena.envs.registry import Bot
from bidarena.evaluate.match import Score, play_match


@dataclass(frozen=True)
class Truth:
    """The exact measure of a player.

    Attributes:
        name: what it is: "exploitability", what a best response wins on average over both seats, or
            "kept", the share of decisions in games, where something can go wrong, that keep the
            value of the position.
        value: the number.
        better: "lower" or "higher".
        exact: or is it an estimate or a bound?
        details: all that the command `bidarena exploit` tells.
        also: further measures of the same kind: "kept_everywhere", the share over all positions in
            which something can go wrong, each counting the same. Games of a player who never draws
            are one and the same line, which says little about his other decisions.
    """

    name: str
    value: float
    better: str
    exact: bool
    details: dict[str, Any]
    also: dict[str, float] = field(default_factory=dict)

    @property
    def goodness(self) -> float:
        """All measures together, with their sign turned where lower is better."""
        total = self.value + sum(self.also.values())
        return total if self.better == "higher" else -total

    @property
    def measures(self) -> dict[str, float]:
        """All measures by name, the main one first."""
        return {self.name: self.value, **self.also}


def asked(network: Network, bot: Bot) -> Any:
    """Whom to ask in all positions: a network in batches is faster than the same as a bot.

    Only one that draws, by what is seen alone, can be asked so.
    """
    if bot.deterministic or network.head != "logits":
        return bot
    return with_probabilities(network.probabilities)


def truth_of(game: Game, player: Any, *, seed: int = 0) -> Truth | None:
    """The exact measure of a player, or None where there is none for these rules."""
    if game.name == "coins":
        from bidarena.evaluate.exploit_coins import exploit_coins

        try:
            coins = exploit_coins(game, player, seed=seed)
        except ValueError:  # a board that cannot be solved
            return None
        kept = coins.kept_in_games_where_it_matters
        everywhere = {"kept_everywhere": coins.kept_where_it_matters}
        return Truth("kept", kept, "higher", coins.exact, coins.as_dict(), everywhere)
    if game.name in ("raj", "scotch"):
        from bidarena.evaluate.exploit import exploit

        try:
            found = exploit(game, player, seed=seed)
        except ValueError:  # more players or money than can be solved
            return None
        value = found.best_response_value
        return Truth("exploitability", value, "lower", found.exact, found.as_dict())
    return None


def against(
    game: Game,
    player: Any,
    rivals: Sequence[str],
    games: int,
    *,
    seed: int = 0,
    progress: Callable[[int], None] | None = None,
) -> dict[str, Score]:
    """The score of a player in a match against each rival; both fill all other seats of a side."""
    sides = len(set(game.teams))
    scores = {}
    for rival in rivals:
        bots = [player, *[rival] * (sides - 1)]
        match = play_match(game, bots, games, seed=seed, progress=progress)
        scores[rival] = match.scores[0]
    return scores
