"""The generic solver against the solvers that games have of their own, on small rules."""

import numpy as np
import pytest
from brute_force import Tree, law_of

from bidarena.baselines.solvers.best_response import best_response, index_positions
from bidarena.baselines.solvers.generic.respond import index_of, responses_to
from bidarena.baselines.solvers.generic.solve import Limits, solve_anew
from bidarena.baselines.solvers.probabilities import Asker
from bidarena.envs import make_bot, make_game
from bidarena.envs.registry import find_tool

SCOTCH = {"length": 4, "money": (5, 4)}
RAJ = {"cards": (1, 2, 3, 5), "items": (-2, 1, 2, 4)}
LIMITED = {"payment": "opponent", "max_rounds": 5}
CASES = [
    ("scotch", SCOTCH),
    ("scotch", {**SCOTCH, "tie": "coin"}),
    ("scotch", {**SCOTCH, "tie": "holder", "both_broke": "play_on"}),
    ("scotch", {**SCOTCH, **LIMITED}),
    ("scotch", {**SCOTCH, "payment": "opponent", "max_rounds": 60}),
    ("raj", {**RAJ, "reward": "margin"}),
    ("raj", {**RAJ, "reward": "outcome"}),
    ("raj", {**RAJ, "reward": "margin", "tie": "split"}),
    ("raj", {**RAJ, "reward": "outcome", "tie": "discard"}),
]


def special_value(game):
    return find_tool(game.name, "solve")(game, 1 << 30, lambda total, what: lambda n: None)["value"]


@pytest.mark.parametrize(("name", "rules"), CASES, ids=str)
def test_generic__has_the_value_of_the_special_solver(name, rules):
    game = make_game(name, **rules)
    answer = solve_anew(game, Limits())
    assert answer.value == pytest.approx(special_value(game), abs=1e-9)
    assert answer.gap < 1e-8


@pytest.mark.parametrize("bot", ["random", "last"])
@pytest.mark.parametrize(("name", "rules"), CASES, ids=str)
def test_generic__responds_as_well_as_the_special_response(name, rules, bot):
    game = make_game(name, **rules)
    rival = make_bot(game, {"last": "dp" if name == "scotch" else "value"}.get(bot, bot))
    asker = Asker(index_positions(game), rival)
    assert asker.exact
    special = [best_response(asker, seat).value for seat in range(2)]
    found = responses_to(Asker(index_of(game), rival))
    assert found.values == pytest.approx(special, abs=1e-9)


@pytest.mark.parametrize(
    "rules",
    [
        {"board": "square3"},
        {"board": "square3", "last_coin": "wins"},
        {"board": "**", "values": (2, -1), "last_bonus": -3},
        {"board": "triangle4", "last_coin": "wins"},
    ],
    ids=str,
)
def test_generic__has_the_winner_of_the_coins_solver(rules):
    game = make_game("coins", **rules)
    special = find_tool("coins", "solve")(game, 1 << 30, lambda total, what: lambda n: None)
    winner = {"first": 1.0, "second": -1.0, "draw": 0.0}[special["value"]]
    answer = solve_anew(game, Limits())
    assert (np.sign(answer.value), answer.gap) == (winner, 0.0)


# --- RichmanGraph has no solver of its own: brute force over all rounds --------------------------


@pytest.mark.parametrize(
    "rules",
    [
        {"money": (3, 2), "max_rounds": 3},
        {"money": (2, 3), "max_rounds": 4, "payment": "opponent"},
        {"money": 2, "max_rounds": 4, "payment": "opponent", "tie": "coin"},
    ],
    ids=str,
)
def test_generic__richman_graph_against_brute_force(rules):
    game = make_game("richman", **rules)
    answer = solve_anew(game, Limits())
    assert answer.value == pytest.approx(brute_value(game), abs=1e-9) and answer.gap < 1e-8
    found = responses_to(Asker(index_of(game), make_bot(game, "random")))
    random = law_of(game, make_bot(game, "random"))
    assert found.values[0] == pytest.approx(brute_value(game, second=random), abs=1e-9)
    assert found.values[1] == pytest.approx(-brute_value(game, first=random), abs=1e-9)


def brute_value(game, first=None, second=None):
    """Return the value to player 0 by recursion over the whole state, the clock included."""
    tree = Choosing(game, ("decision", "last_bids", "last_winner"))
    return float(np.mean([tree.value(state, first, second) for state in tree.starts()]))


class Choosing(Tree):
    """A tree of positions in which one player alone may have to choose, too."""

    def _value(self, state, first, second):
        chooser = int(state[self.game.state["chooser"].start])
        if chooser < 0:
            return super()._value(state, first, second)
        own = self.legal(state)
        worths = np.array(
            [
                np.mean([self.value(end, first, second) for end in self.after(state, action)])
                for action in own
            ]
        )
        law = (first, second)[chooser]
        if law is not None:
            return float(law(state, chooser)[own] @ worths)
        return float(worths.max() if chooser == 0 else worths.min())
