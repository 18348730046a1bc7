"""The findings of the Twenty-nine study: scores, differences, and the slides' claims."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import combinations
from typing import Any

from bidarena.evaluate.tournament.paired import (
    Claim,
    Duel,
    Scores,
    average,
    between,
    estimate,
    scores_of,
)

TECHNIQUES = ("bandit", "pom", "dmcts", "ismcts", "mom")
SELECTIONS = ("ucb1", "ucb_tuned", "thompson")
RULES = "rules"

# The slides: ismcts > mom > dmcts >> pom > bandit >> rules; Thompson > UCB-tuned ~ UCB1.
OF_TECHNIQUES = (
    ("ismcts", ">", "mom"),
    ("mom", ">", "dmcts"),
    ("dmcts", ">>", "pom"),
    ("pom", ">", "bandit"),
    ("bandit", ">>", RULES),
)
OF_SELECTIONS = (("thompson", ">", "ucb_tuned"), ("ucb_tuned", "~", "ucb1"))

Played = Mapping[tuple[str, str], Duel]


def technique_of(player: str) -> str:
    """Return the technique in a player's name, such as "ismcts" of "ismcts/ucb1"."""
    return player.partition("/")[0]


def selection_of(player: str) -> str:
    """Return the selection rule in a player's name; the rules bot has none."""
    return player.partition("/")[2]


def find_round_robin(played: Played, iterations: int | None) -> dict[str, Any]:
    """Return the findings of a round robin; `iterations` per decision, None if by the clock."""
    duels = {pair: duel.results for pair, duel in played.items()}
    players = scores_of(duels)
    techniques = _grouped(players, (*TECHNIQUES, RULES), technique_of)
    selections = _grouped(players, SELECTIONS, selection_of)
    claims = _claims(OF_TECHNIQUES, techniques) + _claims(OF_SELECTIONS, selections)
    return {
        "deals": len(next(iter(duels.values()))),
        "players": _table(players),
        "techniques": _table(techniques),
        "selections": _table(selections),
        "player_differences": _differences(players),
        "technique_differences": _differences(techniques),
        "selection_differences": _differences(selections),
        "head_to_head": _matrix(duels, {name: [name] for name in players}),
        "techniques_head_to_head": _matrix(
            duels,
            {name: [p for p in players if technique_of(p) == name] for name in techniques},
        ),
        "claims": [claim.as_dict() for claim in claims],
        "speed": _speeds(played, iterations),
        **_totals(played),
    }


def find_duels(played: Played) -> dict[str, Any]:
    """Return the findings of one option on against off; the pairs are (on, off)."""
    claims = [Claim(one, ">", two, estimate(duel.results)) for (one, two), duel in played.items()]
    return {
        "deals": len(next(iter(played.values())).results),
        "claims": [claim.as_dict() for claim in claims],
        "speed": _speeds(played, None),
        **_totals(played),
    }


def _totals(played: Played) -> dict[str, Any]:
    """Return the number of games and the seconds of all moves."""
    return {
        "games": 2 * sum(len(duel.results) for duel in played.values()),
        "seconds": sum(sum(duel.thinking) for duel in played.values()),
    }


def _grouped(
    players: Mapping[str, Scores], groups: tuple[str, ...], group_of: Callable[[str], str]
) -> dict[str, Scores]:
    """Return the mean score of the players of each group, deal by deal; leave out empty groups."""
    members = {g: [players[name] for name in players if group_of(name) == g] for g in groups}
    return {group: average(scores) for group, scores in members.items() if scores}


def _table(scores: Mapping[str, Scores]) -> dict[str, Any]:
    """Return the mean scores, the best first."""
    ranked = sorted(scores, key=lambda name: -scores[name].mean())
    return {name: estimate(scores[name]).as_dict() for name in ranked}


def _differences(scores: Mapping[str, Scores]) -> dict[str, Any]:
    """Return the differences of all pairs of mean scores, the better one first."""
    ranked = sorted(scores, key=lambda name: -scores[name].mean())
    return {
        f"{one} - {two}": estimate(scores[one] - scores[two]).as_dict()
        for one, two in combinations(ranked, 2)
    }


def _claims(said: tuple[tuple[str, str, str], ...], scores: Mapping[str, Scores]) -> list[Claim]:
    return [
        Claim(one, relation, two, estimate(scores[one] - scores[two]))
        for one, relation, two in said
        if one in scores and two in scores
    ]


def _matrix(
    duels: Mapping[tuple[str, str], Scores], groups: Mapping[str, list[str]]
) -> dict[str, dict[str, Any]]:
    """Return the mean score of each group in its games against each other group."""
    return {
        one: {
            two: estimate(between(duels, groups[one], groups[two])).as_dict()
            for two in groups
            if two != one
        }
        for one in groups
    }


def _speeds(played: Played, iterations: int | None) -> dict[str, Any]:
    """Return the time per decision of each technique; forced moves take next to no time."""
    decisions: dict[str, int] = {}
    thinking: dict[str, float] = {}
    for pair, duel in played.items():
        for k, player in enumerate(pair):
            name = technique_of(player)
            decisions[name] = decisions.get(name, 0) + duel.decisions[k]
            thinking[name] = thinking.get(name, 0.0) + duel.thinking[k]
    speeds = {}
    for name, count in decisions.items():
        per_decision = thinking[name] / max(count, 1)
        speeds[name] = {"decisions": count, "ms_per_decision": 1000 * per_decision}
        if iterations is not None and name != RULES:
            speeds[name]["iterations_per_s"] = iterations / per_decision
    return speeds
