"""The strength of a player: matches against rivals, and the exact measure of its game."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from bidarena.baselines.learned.network import Network
from bidarena.baselines.solvers.generic.solve import Limits
from bidarena.baselines.solvers.probabilities import with_probabilities
from bidarena.envs.game import Game
from bidarena.envs.registry import Bot, load, tools_of
from bidarena.evaluate.exploit import exploit
from bidarena.evaluate.match import Score, play_match

QUICK = Limits(memory=1 << 28, seconds=10.0)  # larger games are not measured on the way


@dataclass(frozen=True)
class Truth:
    """The exact measure of a player.

    Attributes:
        name: "exploitability", what a best response wins on average over both seats, or "kept", the
            share of decisions in games that keep the value of the position, where a decision can
            lose value.
        value: the value of the measure.
        better: "lower" or "higher".
        exact: whether the value is exact; False: an estimate or a bound.
        details: the whole result of `bidarena exploit`.
        also: further measures: "kept_everywhere", the share over all positions in which a decision
            can lose value, all of equal weight. A player that draws no random numbers always plays
            the same game with itself, which says little about its other decisions.
    """

    name: str
    value: float
    better: str
    exact: bool
    details: dict[str, Any]
    also: dict[str, float] = field(default_factory=dict)

    @property
    def goodness(self) -> float:
        """The sum of all measures, negative where lower is better."""
        total = self.value + sum(self.also.values())
        return total if self.better == "higher" else -total

    @property
    def measures(self) -> dict[str, float]:
        """All measures by name, the main one first."""
        return {self.name: self.value, **self.also}


def asked(network: Network, bot: Bot) -> Any:
    """Return the player to ask in all positions: the network where possible, else its bot.

    A network answers in batches and is faster. It can be asked if the bot draws its actions from
    the probabilities of the network.
    """
    if bot.deterministic or network.head != "logits":
        return bot
    return with_probabilities(network.probabilities)


def truth_of(game: Game, player: Any, *, seed: int = 0) -> Truth | None:
    """Return the exact measure of a player; None if there is none for these rules."""
    tools = tools_of(game.name)
    try:
        if tools.measure:
            measured: Truth | None = load(tools.measure)(game, player, seed)
            return measured
        found = exploit(game, player, seed=seed, limits=QUICK)
    except ValueError:  # rules under which the game cannot be solved
        return None
    value = found.best_response_value
    return Truth("exploitability", value, "lower", found.exact, found.as_dict())


def against(
    game: Game,
    player: Any,
    rivals: Sequence[str],
    games: int,
    *,
    seed: int = 0,
    progress: Callable[[int], None] | None = None,
) -> dict[str, Score]:
    """Return the score of a player in a match against each rival, which plays all other sides."""
    sides = len(set(game.teams))
    scores = {}
    for rival in rivals:
        bots = [player, *[rival] * (sides - 1)]
        match = play_match(game, bots, games, seed=seed, progress=progress)
        scores[rival] = match.scores[0]
    return scores
