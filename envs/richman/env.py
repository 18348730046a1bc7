"""RichmanGraph as a `Game` and as Gymnasium environments."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from bidarena.envs.arguments import choice, whole, wholes
from bidarena.envs.bidding import BANK, PAYMENTS, TIES
from bidarena.envs.game import Game, rules_of
from bidarena.envs.richman import rules
from bidarena.envs.richman.rules import C
from bidarena.envs.solo import SoloEnv
from bidarena.envs.vector import BatchedEnv

BOTH_BROKE = ("draw",)

ENDLESS = 1000  # a game that could go on for ever is cut short after so many rounds
MOST_VERTICES = 256

Graph = tuple[tuple[int, ...], ...]  # the successors of each vertex

# Two roads lead from the start, 5, to each target. The lane 5-3-2-1-0 can be walked both ways, step
# by step. Vertex 4 is a gamble: from there the winner of the bid sends the token either to 0 or to
# 9, next to 10. The other side is the mirror image, v -> 10 - v, so the start is fair. Which road is
# better depends on the payment. The share of the money that player 0 needs to win:
#
#     payment     1      2      3 (lane)   4 (gamble)   5
#     opponent    1/8    1/4    3/8        7/16         1/2     the lane
#     bank        0.28   0.38   0.447      0.420        1/2     the gamble
SHORTCUT: Graph = (
    (),
    (0, 2),
    (1, 3),
    (2, 5),
    (0, 9),
    (3, 4, 6, 7),
    (1, 10),
    (5, 8),
    (7, 9),
    (8, 10),
    (),
)


def richman(
    *,
    graph: str | Sequence[Sequence[int]] = "shortcut",
    targets: Sequence[int] | None = None,
    start: int | None = None,
    money: int | Sequence[int] = (100, 100),
    payment: str = "opponent",
    tie: str = "alternate",
    both_broke: str = "draw",
    max_rounds: int | None = None,
) -> Game:
    """Return the Richman game on a graph under the given rules; see `RichmanGraphEnv`."""
    named = _successors(graph)
    vertices = len(named)
    ends = (0, vertices - 1) if targets is None else wholes("targets", targets, 2, 0, vertices - 1)
    if ends[0] == ends[1]:
        raise ValueError(f"targets={targets!r}: expected two different vertices")
    successors = _checked(named, ends)
    first = (vertices - 1) // 2 if start is None else whole("start", start, 0, vertices - 1)
    if first in ends:
        raise ValueError(
            f"start={start!r}: vertex {first} is a target; expected one of the other vertices of "
            f"0..{vertices - 1}"
        )
    both = (money, money) if isinstance(money, int | np.integer) else money
    purse = wholes("money", both, 2, 1, 10_000)
    pay = choice("payment", payment, PAYMENTS)
    tied = choice("tie", tie, TIES)
    choice("both_broke", both_broke, BOTH_BROKE)
    largest = max(purse) if pay == BANK else sum(purse)

    # With payment to the bank every round costs somebody at least 1, so the money runs out.
    natural = sum(purse) if pay == BANK else None
    most = natural or ENDLESS
    if max_rounds is not None:
        most = whole("max_rounds", max_rounds, 1, 1_000_000)

    options = (vertices, first, *ends, *purse, pay, tied, most, largest)
    return Game(
        name="richman",
        options={
            "graph": graph if isinstance(graph, str) else [list(ways) for ways in named],
            "targets": list(ends),
            "start": first,
            "money": list(purse),
            "payment": payment,
            "tie": tie,
            "both_broke": both_broke,
            "max_rounds": max_rounds,
        },
        rules=rules_of(rules),
        cfg=np.array([*options, *_rows(successors, len(options))], np.int64),
        players=2,
        actions=largest + 1 + vertices,
        longest=3 * min(most, natural or most),  # two bids and a choice per round
        state=rules.STATE,
        observation=rules.observation(vertices),
        simultaneous="decision",
        hidden=False,
        clock="round",
        limit=most,
        idle=("decision", "last_bids", "last_winner"),
        ansi="bidarena.envs.richman.render:ansi",
        picture="bidarena.envs.richman.render:picture",
        phrases="bidarena.envs.richman.phrases:PHRASES",
    )


def graph_of(game: Game) -> Graph:
    """Return the successors of every vertex; targets have none, because they end the game."""
    cfg = game.cfg
    cuts = cfg[C.edges : C.edges + cfg[C.vertices] + 1]
    return tuple(tuple(cfg[a:b].tolist()) for a, b in pairwise(cuts))


def targets_of(game: Game) -> tuple[int, int]:
    """Return the targets of player 0 and of player 1."""
    first, second = game.cfg[C.targets : C.targets + 2].tolist()
    return first, second


def _rows(successors: Graph, used: int) -> list[int]:
    """Return the graph as the numbers that follow the first `used` numbers of cfg.

    First come the places in cfg where the successors of each vertex begin, then the successors.
    """
    cuts = np.cumsum([used + len(successors) + 1, *map(len, successors)]).tolist()
    return [*cuts, *(u for ways in successors for u in ways)]


def _successors(graph: Any) -> Graph:
    """Return the successor lists that `graph` is or names; raise ValueError for wrong entries."""
    if isinstance(graph, str):
        return _by_name(graph)
    allowed = f"a list of successors for each of 3 to {MOST_VERTICES} vertices, or a name"
    if not isinstance(graph, Sequence | np.ndarray):
        raise ValueError(f"graph={graph!r}: expected {allowed}")
    vertices = len(graph)
    if not 3 <= vertices <= MOST_VERTICES:
        raise ValueError(f"graph: {vertices} vertices given, expected {allowed}")
    rows = []
    for v, ways in enumerate(graph):
        if isinstance(ways, str | bytes) or not isinstance(ways, Iterable):
            raise ValueError(f"graph[{v}]={ways!r}: expected a list of successors")
        found = list(ways)
        rows.append(wholes(f"graph[{v}]", found, len(found), 0, vertices - 1))
    return tuple(rows)


def _by_name(name: str) -> Graph:
    """Return the graph called `name`: the default one or a line."""
    if name == "shortcut":
        return SHORTCUT
    match = re.fullmatch(r"line([0-9]{1,3})", name)
    length = int(match[1]) if match else 0
    if not 2 <= length < MOST_VERTICES:
        raise ValueError(
            f"graph={name!r}: expected 'shortcut', 'line2' to 'line{MOST_VERTICES - 1}', "
            "or a list of successors for each vertex"
        )
    return ((), *((k - 1, k + 1) for k in range(1, length)), ())


def _checked(named: Graph, targets: Sequence[int]) -> Graph:
    """Return the graph without the targets' successors; raise ValueError if it is unplayable."""
    graph = tuple(() if v in targets else ways for v, ways in enumerate(named))
    for v, ways in enumerate(graph):
        if len(set(ways)) < len(ways):
            raise ValueError(f"graph[{v}]={list(ways)}: expected every successor once")
        if not ways and v not in targets:
            raise ValueError(
                f"graph[{v}]=[]: expected at least one successor; only the targets "
                f"{tuple(targets)} may have none"
            )
    before: list[list[int]] = [[] for _ in graph]
    for v, ways in enumerate(graph):
        for u in ways:
            before[u].append(v)
    home, found = set(targets), list(targets)
    while found:
        fresh = set(before[found.pop()]) - home
        home |= fresh
        found += fresh
    for v, ways in enumerate(graph):
        if v not in home:
            raise ValueError(
                f"graph[{v}]={list(ways)}: expected a path to one of the targets "
                f"{tuple(targets)}, there is none from vertex {v}"
            )
    return graph


class RichmanGraphEnv(SoloEnv):
    """Two players bid in secret for the right to move a token on a graph.

    ## Description
    A token stands on a vertex of a directed graph. Two vertices are targets: player 0 wants the
    token on the first, player 1 on the second. Each round both bid a whole amount in secret. The
    higher bid wins; its bidder pays and moves the token to a successor of its vertex. On equal bids
    the holder of the draw advantage wins the round, and the advantage passes to the other player;
    player 0 holds it first.

    This is Richman's game (Lazarus, Loeb, Propp, Ullman). Every vertex v has a cost R(v). With
    continuous bids player 0 can win from v with a share of all the money above R(v), and player 1
    can win if that share is below R(v). `bidarena.baselines.solvers.richman` computes the costs. On
    a line, where there is nothing to choose, this is the game of `bidarena/Scotch-v0`.

    The default graph, "shortcut", has 11 vertices. A lane of single steps leads from the
    start, 5, over 3, 2 and 1 to the target 0, and likewise over 7, 8 and 9 to 10. The vertices 4
    and 6 are gambles: from 4 the token goes either to 0 or to 9, from 6 either to 10 or to 1.

        0 <- 1 <-> 2 <-> 3 <-> 5 <-> 7 <-> 8 <-> 9 -> 10
             4 -> 0, 9         5 -> 4, 6         6 -> 10, 1

    With payment to the opponent the lane is better (R is 3/8 at vertex 3 and 7/16 at vertex 4).
    With payment to the bank the gamble is better.

    ## Action Space
    `Discrete(largest possible money + 1 + vertices)`:

    | action | what | legal |
    |---|---|---|
    | 0 .. largest | bid this amount | while bidding: 1..own money; exactly 0 for a player without money |
    | largest + 1 + v | move the token to vertex v | after a won bid: the successors of the token's vertex |

    `largest` is the most money a player can hold: all of it with payment to the opponent, the
    larger of the two purses with payment to the bank. Where there is only one successor the token
    moves by itself.

    ## Observation Space
    `Box(0, 1, (7 + 3 * n,), float32)`, from the learner's side, where n is the number of vertices:

    | index | what | scaled by |
    |---|---|---|
    | 0 | own money | largest possible money |
    | 1 | the opponent's money | largest possible money |
    | 2 | draw advantage: 1 own, 0 the opponent's, 0.5 nobody's (a coin decides) | |
    | 3 | 1 while the players bid (and when the game is over) | |
    | 4 | 1 while the learner chooses a successor | |
    | 5 | 1 while the opponent chooses a successor | |
    | 6 | the learner's seat, 0 or 1 | |
    | 7 .. 6 + n | where the token is, one-hot | |
    | 7 + n .. 6 + 2n | the own target, one-hot | |
    | 7 + 2n .. 6 + 3n | the opponent's target, one-hot | |

    ## Starting State
    The token stands on `start`, both players have their `money`, player 0 has the advantage.

    ## Rewards
    +1 for winning, -1 for losing, 0 for a draw and before the end.

    ## Episode End
    Terminated when the token reaches a target, or stands elsewhere while both players are without
    money. Truncated after `max_rounds`. An illegal action loses at once (`illegal_action="raise"`
    raises instead).

    ## Information
    `action_mask` (int8, one per action; all ones when the game is over) on every reset and step;
    `illegal_action` and `opponent_illegal_action`: whether that ended the game.

    ## Arguments
    | keyword | default | meaning |
    |---|---|---|
    | `graph` | `"shortcut"` | the successors of each vertex, as lists of vertex numbers; or `"line10"`: the line of Scotch with that length. 3 to 256 vertices; from each a path must lead to a target. Successors of the targets are ignored |
    | `targets` | first and last vertex | where player 0 and where player 1 wants the token |
    | `start` | the middle, (vertices - 1) // 2 | where the token stands first |
    | `money` | (100, 100) | of player 0 and player 1; one number for both |
    | `payment` | `"opponent"` | `"bank"`: the winner of a bid pays the bank (poorman) |
    | `tie` | `"alternate"` | `"coin"`: a fair coin; `"holder"`: the advantage never passes |
    | `both_broke` | `"draw"` | the only value: with payment to the bank, the game is a draw when nobody has money left |
    | `max_rounds` | None | rounds before truncation; None: never where the game ends by itself (payment to the bank), 1000 elsewhere |
    | `opponent` | `"random"` | a name with options, a list drawn from per episode, or a callable |
    | `seat` | `"random"` | the learner's: 0, 1, `"random"` or `"alternate"` |
    | `illegal_action` | `"lose"` | `"raise"`: raise a ValueError instead |

    ## References
    Lazarus, Loeb, Propp, Ullman: Richman Games (1996); Combinatorial Games under Auction Play
    (1999). Develin, Payne: Discrete Bidding Games (2010).

    ## Version History
    v0: first version.
    """

    def __init__(self, **kwargs: Any) -> None:
        super().__init__("richman", **kwargs)


class RichmanGraphVectorEnv(BatchedEnv):
    """RichmanGraph in a batch; see `RichmanGraphEnv` for the game, `BatchedEnv` for the interface."""

    def __init__(self, num_envs: int = 1, **kwargs: Any) -> None:
        super().__init__("richman", num_envs, **kwargs)
