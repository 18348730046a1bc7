"""Raj as a `Game` and as Gymnasium environments."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Sized
from itertools import islice
from math import lcm
from typing import Any, NamedTuple

import numpy as np

from bidarena.envs.arguments import choice, flag, whole
from bidarena.envs.game import Game, rules_of
from bidarena.envs.raj import rules
from bidarena.envs.raj.rules import C
from bidarena.envs.solo import SoloEnv
from bidarena.envs.vector import BatchedEnv

TIES = ("carry", "discard", "split")
REWARDS = ("outcome", "margin", "bank")

LARGEST = 10_000  # the largest value of a card or an item; values may be negative


def raj(
    *,
    players: int = 2,
    cards: Sequence[int] = (1, 2, 3, 4, 5, 6),
    items: Sequence[int] = (-2, -1, 1, 2, 3, 4),
    tie: str = "carry",
    reward: str = "outcome",
) -> Game:
    """Return the game of Raj under the given rules; `RajEnv` explains them."""
    players = whole("players", players, 2, rules.MOST_PLAYERS)
    card_values = _values("cards", cards)
    item_values = _values("items", items)
    if len(item_values) != len(card_values):
        raise ValueError(
            f"items={items!r}: expected as many items as cards, "
            f"got {len(item_values)} items for {len(card_values)} cards"
        )
    repeated = {card for card in card_values if card_values.count(card) > 1}
    if repeated:
        raise ValueError(f"cards={cards!r}: expected different cards, {min(repeated)} is repeated")
    tied = choice("tie", tie, TIES)
    rewarded = choice("reward", reward, REWARDS)

    size = len(card_values)
    cfg = np.zeros(rules.CFG["same"].stop, np.int64)
    cfg[C.players] = players
    cfg[C.size] = size
    cfg[C.tie] = tied
    cfg[C.reward] = rewarded
    cfg[C.unit] = lcm(*range(1, players + 1)) if tied == rules.SPLIT else 1
    cfg[C.scale] = max(1, sum(map(abs, item_values)))
    for i in range(size):
        cfg[C.cards + i] = card_values[i]
        cfg[C.items + i] = item_values[i]
        cfg[C.same + i] = sum(1 << j for j in range(size) if item_values[j] == item_values[i])
    return Game(
        name="raj",
        options={
            "players": players,
            "cards": card_values,
            "items": item_values,
            "tie": tie,
            "reward": reward,
        },
        rules=rules_of(rules),
        cfg=cfg,
        players=players,
        actions=size,
        longest=players * size,
        state=rules.state_parts(players),
        observation=rules.observation_parts(players, size),
        simultaneous="round",
        hidden=False,
        idle=("last_pot", "last_taker", "last_bids"),
        zero_sum=reward != "bank",
        observation_range=(-1.0, 1.0),
        return_range=_return_range(reward, players, item_values),
        score="banks",
        score_unit=1.0 / int(cfg[C.unit]),
        ansi="bidarena.envs.raj.render:ansi",
        picture="bidarena.envs.raj.render:picture",
        phrases="bidarena.envs.raj.phrases:PHRASES",
    )


def _values(name: str, values: Any) -> list[int]:
    """Return the values in ascending order; raise ValueError unless they are 2 to MOST integers."""
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        raise ValueError(f"{name}={values!r}: expected a list of whole numbers")
    given = list(islice(values, rules.MOST + 1))  # one too many says enough
    if not 2 <= len(given) <= rules.MOST:
        got = len(values) if isinstance(values, Sized) else f"at least {len(given)}"
        raise ValueError(f"{name}={values!r:.200}: expected 2 to {rules.MOST}, got {got}")
    return sorted(whole(f"{name}[{i}]", v, -LARGEST, LARGEST) for i, v in enumerate(given))


def _return_range(reward: str, players: int, items: list[int]) -> tuple[float, float]:
    """Return the lowest and the highest result of a player.

    At best the player gets all good items and the others get all bad ones.
    """
    good = float(sum(item for item in items if item > 0))
    bad = float(sum(item for item in items if item < 0))
    if reward == "bank":
        return bad, good
    if reward == "margin":
        return bad - good / (players - 1), good - bad / (players - 1)
    return -1.0, 1.0


class Settings(NamedTuple):
    """A series of games, read from a `settings.py` of the original program."""

    options: dict[str, Any]  # options for `raj(...)` and `gym.make("bidarena/Raj-v0", ...)`
    games: int
    seed: int | None
    verbose: bool
    agents: tuple[str, ...]  # agent files, in the order of the seats


def from_settings(settings: Mapping[str, Any]) -> Settings:
    """Return the series that a `game_settings` dict describes.

    The keys are cardValues, itemValues, totalNumberOfGames, seed, verbose and agentFiles. A missing
    key has the value of the original `settings.py`: the default cards and items, 100 games, no
    seed, verbose. The number of agent files, if there are any, is the number of players. Other keys
    are ignored, as the original program ignores them.
    """
    agents = settings.get("agentFiles", ())
    if isinstance(agents, str) or not all(isinstance(agent, str) for agent in agents):
        raise ValueError(f"agentFiles={agents!r}: expected a tuple of file names")
    options: dict[str, Any] = {}
    if agents:
        options["players"] = len(agents)
    for key, keyword in (("cardValues", "cards"), ("itemValues", "items")):
        if key in settings:
            options[keyword] = settings[key]
    try:
        game = raj(**options)
    except ValueError as wrong:
        raise ValueError(f"settings: {wrong}") from None
    seed = settings.get("seed")
    return Settings(
        options=game.options,
        games=whole("totalNumberOfGames", settings.get("totalNumberOfGames", 100), 1, 10**9),
        seed=None if seed is None else whole("seed", seed, 0, 2**32 - 1),
        verbose=flag("verbose", settings.get("verbose", True)),
        agents=tuple(agents),
    )


class RajEnv(SoloEnv):
    """Players bid cards, all at once, for items that come up in random order.

    ## Description
    There are as many items as cards, and every player holds the same cards. The items come up one
    by one in random order. Each round the players bid one card each for what lies in the pot, all
    at the same time; the cards are then gone. Only bids made by exactly one player count. The
    highest of them takes a pot that is worth 0 or more; the lowest takes a pot that is worth less
    than 0, which players bid to avoid. With three or more players a unique bid wins even below
    higher bids that cancel each other out. If no bid is unique, the pot stays and the next item is
    added to it; a pot left after the last item is lost. The last card is played like any other.

    With `tie="discard"` or `tie="split"`, two players and positive items this is Goofspiel, also
    called GOPS: `cards=range(1, 14), items=range(1, 14), tie="discard"` is OpenSpiel's `goofspiel`.
    (With more players the two differ: there a tie for the highest bid loses the prize, here the
    highest unique bid takes it.)

    ## Action Space
    `Discrete(N)`, where N is the number of cards: an index into the cards in ascending order, so an
    action means the same card all game. The cards still in the hand are legal.

    ## Observation Space
    `Box(-1, 1, (2 + P + (P + 1) * N,), float32)` with N cards and P players, from the learner's
    side: own things first, the others in the order they sit after the learner. The indexes in the
    second column are those of the default game, which has 22 numbers.

    | index | N=6, P=2 | what | scaled by |
    |---|---|---|---|
    | 0 | 0 | the pot | S, the sum of all items without their signs |
    | 1 | 1 | rounds played | N |
    | 2 | 2 | own bank | S |
    | 3 .. P+1 | 3 | the others' banks | S |
    | P+2 .. P+N+1 | 4-9 | items still to come, ascending: 1 if this one is; of equal items the first ones go first | |
    | then N | 10-15 | own hand, ascending: 1 if the card is held | |
    | then (P-1) N | 16-21 | the others' hands likewise, one after another | |

    The item in the pot is not among those still to come, and nobody can know their order: it is
    drawn as the game goes on.

    ## Starting State
    All cards are in the hands, the banks are empty, one random item is in the pot.

    ## Rewards
    0 before the end. At the end `reward` decides:

    - `"outcome"`: the highest bank wins. A single winner gets 1, the others -1 / (P-1). W winners
      who are level get 1/W each, the others -1 / (P-W). If all are level, all get 0. With two
      players: +1 for winning, -1 for losing, 0 for a draw.
    - `"margin"`: own bank minus the mean of the others' banks, in points.
    - `"bank"`: own bank in points, as the original counts it (not zero-sum).

    ## Episode End
    Terminated after N rounds. An illegal action loses at once (`illegal_action="raise"` raises
    instead).

    ## Information
    `action_mask` (int8, one per action; all ones when the game is over) on every reset and step;
    `illegal_action` and `opponent_illegal_action`: whether that ended the game.

    ## Arguments
    | keyword | default | meaning |
    |---|---|---|
    | `players` | 2 | 2 to 6 |
    | `cards` | 1, 2, 3, 4, 5, 6 | 2 to 16 different whole numbers that everybody bids with |
    | `items` | -2, -1, 1, 2, 3, 4 | as many whole numbers, repeated ones allowed |
    | `tie` | `"carry"` | what happens without a unique bid. `"carry"`: the pot stays; `"discard"`: it is lost; `"split"`: the players with the highest bid (the lowest for a negative pot) get equal shares |
    | `reward` | `"outcome"` | `"margin"` or `"bank"`, see Rewards |
    | `opponent` | `"random"` | who plays every other seat: a name with options, a list drawn from per episode, or a callable |
    | `opponents` | None | instead of `opponent`: a list with one opponent for each seat after the learner's |
    | `seat` | `"random"` | the learner's: a number, `"random"` or `"alternate"` |
    | `illegal_action` | `"lose"` | `"raise"`: raise a ValueError instead |

    ## References
    Raj (also Hol's der Geier, Beat the Buzzard) by Alex Randolph; an assignment of COSC343 at the
    University of Otago, whose settings `from_settings` reads; Goofspiel: Ross, Goofspiel - The Game
    of Pure Strategy (1971).

    ## Version History
    v0: first version.
    """

    def __init__(self, **kwargs: Any) -> None:
        super().__init__("raj", **kwargs)


class RajVectorEnv(BatchedEnv):
    """Raj in a batch; see `RajEnv` for the game and `BatchedEnv` for the interface."""

    def __init__(self, num_envs: int = 1, **kwargs: Any) -> None:
        super().__init__("raj", num_envs, **kwargs)
