"""The cells of the benchmark suite: which games are learned, and how a policy is measured in each.

A suite is a YAML file; `suite-v1.yml` beside this file is ours. Its cells never change: a suite
with other cells or scales is another version. Each cell is a game under fixed rules with a measure
and the two values of that measure that are called 0 and 1:

    name: mine-v1
    cells:
      kuhn: {game: "my_kuhn:kuhn", measure: exploitability, random: 0.4583, perfect: 0}

`measure` is

    exploitability    what the exact best response wins more than the player, mean over all seats
    match             the mean return in `games` games against each of the bots `references`
    any other name    that one of the exact measures of the game (`Truth.measures`)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from bidarena.envs.arguments import unknown, whole
from bidarena.envs.game import Game
from bidarena.envs.registry import make_game
from bidarena.train.algorithms import look_in_present_folder

OURS = Path(__file__).with_name("suite-v1.yml")
MATCH, EXPLOITABILITY = "match", "exploitability"


@dataclass(frozen=True)
class Cell:
    """A game under fixed rules, and the scale on which policies are measured in it.

    Attributes:
        name: short, as in `--cells` and in the folders of runs.
        game: the name of the game; "module:name" imports a module first.
        measure: see above.
        random: the value of the measure for the player that chooses at random.
        perfect: its value for perfect play or, where that is not known, for the best known bot.
        title: what readers see.
        rules: the rules of the game; those that it does not name are the usual ones.
        sparring: the bot that an algorithm learns against which cannot play with itself.
        references: the bots of `match`, with their options.
        games: how many games `match` has with each of them.
        best: the best known bot, if `perfect` is its value.
    """

    name: str
    game: str
    measure: str
    random: float
    perfect: float
    title: str = ""
    rules: Mapping[str, Any] = field(default_factory=dict)
    sparring: str = "random"
    references: Sequence[str] = ()
    games: int = 0
    best: str = ""

    def __post_init__(self) -> None:
        where = f"cell {self.name!r}"
        for name in ("random", "perfect"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise ValueError(f"{where}: {name}={value!r}: expected a number")
        if self.random == self.perfect:
            raise ValueError(
                f"{where}: random and perfect are both {self.random}: there is no scale"
            )
        if not self.name or not set(self.name) <= set("abcdefghijklmnopqrstuvwxyz0123456789-"):
            raise ValueError(f"{where}: expected a name of small letters, digits and -")
        if (self.measure == MATCH) != bool(self.references):
            raise ValueError(f"{where}: references are for measure: match, and needed there")
        if self.measure == MATCH:
            whole(f"{where}: games", self.games, 2, 10**7)

    def make_game(self) -> Game:
        """Return the game of the cell."""
        return make_game(self.game, **self.rules)

    def figure(self, value: float) -> float:
        """Return a value of the measure on the scale from 0, random, to 1, perfect."""
        return (value - self.random) / (self.perfect - self.random)

    def as_dict(self) -> dict[str, Any]:
        """Return the cell as plain values for JSON."""
        return {**asdict(self), "rules": dict(self.rules), "references": list(self.references)}


@dataclass(frozen=True)
class Suite:
    """A list of cells under a name with its version."""

    name: str
    cells: tuple[Cell, ...]

    def choose(self, names: Sequence[str]) -> list[Cell]:
        """Return the cells of these names, all without any; ValueError if one is unknown."""
        known = [cell.name for cell in self.cells]
        for name in names:
            if name not in known:
                raise unknown("cells", name, known)
        return [cell for cell in self.cells if not names or cell.name in names]


def read_suite(path: Path | None = None) -> Suite:
    """Return a suite from its file; None: ours."""
    import yaml

    file = OURS if path is None else path
    if path is not None:
        look_in_present_folder()  # for games of the user's own
    try:
        content = yaml.safe_load(file.read_text())
        cells = tuple(Cell(name, **values) for name, values in content["cells"].items())
        return Suite(str(content["name"]), cells)
    except OSError as wrong:
        raise ValueError(f"suite={str(file)!r}: {wrong.strerror or wrong}") from None
    except (yaml.YAMLError, LookupError, TypeError, AttributeError) as wrong:
        raise ValueError(f"suite={str(file)!r}: not a list of cells ({wrong!r:.200})") from None
