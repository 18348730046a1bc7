"""README and the pages of docs/: every block runs, the example game is right."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import permutations, product
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple
from unittest import mock

import numpy as np
import pytest
from our_games import OUR_GAMES

from bidarena.envs.batch import Batch
from bidarena.envs.game import Game
from bidarena.envs.registry.bot_names import _bots
from bidarena.envs.registry.game_names import _games
from bidarena.envs.registry.tools import _tools
from bidarena.envs.rng import seeded

DOCS = Path(__file__).parents[2] / "docs"
PAGES = (  # the blocks of each are one program
    "getting_started.md",
    "environments.md",
    "stacks.md",
    "adding_a_game.md",
    "adding_a_bot.md",
    "training.md",
    "suite.md",
    "tournaments.md",
    "truth.md",
    "openspiel.md",
    "twentynine_server.md",
)
README = "../README.md"  # each block is a program of its own

PATIENCE = 300  # seconds; a page takes a few, but may have to wait for the processor


class Block(NamedTuple):
    line: int  # of the page, where the code begins
    code: str

    @property
    def file(self) -> str | None:
        """The file that the block is, if its first line says so: `# my_kuhn.py`."""
        named = re.match(r"# (\w+\.py)\n", self.code)
        return named and named[1]


def blocks(page: str) -> list[Block]:
    text = (DOCS / page).read_text()
    found = re.finditer(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return [Block(text.count("\n", 0, match.start(1)) + 1, match[1]) for match in found]


def files() -> dict[str, str]:
    every = [block for page in PAGES for block in blocks(page)]
    return {block.file: block.code for block in every if block.file}


def program(page: str) -> str:
    """The blocks that are not files, one after another, on the lines they have in the page."""
    lines: list[str] = []
    for block in blocks(page):
        if block.file is None:
            lines += [""] * (block.line - 1 - len(lines))
            lines += block.code.splitlines()
    return "\n".join(lines) + "\n"


def run(folder: Path, *arguments: str) -> str:
    """Run Python in a folder; return what it prints."""
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder), "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0, f"line numbers are those of the page:\n{done.stderr}"
    return done.stdout


def write_files(folder: Path) -> None:
    for name, code in files().items():
        (folder / name).write_text(code)


@pytest.mark.parametrize("page", PAGES)
def test_page__every_block_runs(page: str, tmp_path: Path) -> None:
    write_files(tmp_path)
    script = tmp_path / f"{Path(page).stem}.py"
    script.write_text(program(page))
    run(tmp_path, script.name)


@pytest.mark.parametrize("block", blocks(README), ids=lambda block: f"line_{block.line}")
def test_readme__each_block_runs_alone(block: Block, tmp_path: Path) -> None:
    (tmp_path / "readme.py").write_text("\n" * (block.line - 1) + block.code)
    run(tmp_path, "readme.py")


def test_page__of_the_competition_closes_its_sockets(tmp_path: Path) -> None:
    write_files(tmp_path)
    (tmp_path / "page.py").write_text(program("twentynine_server.md"))
    code = "import runpy, warnings; warnings.simplefilter('error', ResourceWarning)\n"
    code += "import sys; left = []; sys.unraisablehook = lambda why: left.append(why.exc_value)\n"
    code += "runpy.run_path('page.py'); import gc; gc.collect(); assert not left, left"
    run(tmp_path, "-c", code)


def test_readme__is_short() -> None:
    assert len((DOCS / README).read_text().splitlines()) <= 160


def test_page__game_has_fewer_than_100_lines() -> None:
    assert len(files()["my_kuhn.py"].splitlines()) < 100


@pytest.mark.parametrize("page", (*PAGES, README))
def test_page__links_lead_somewhere(page: str) -> None:
    folder = (DOCS / page).parent
    for target, anchor in re.findall(r"\]\((?!http)([^)#]*)#?([^)]*)\)", (DOCS / page).read_text()):
        if target.endswith((".png", ".webp")):
            assert (folder / target).exists()
            continue
        text = (folder / target if target else DOCS / page).read_text()
        headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
        anchors = [
            re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings
        ]
        assert not anchor or anchor in anchors, f"{page}: no heading for {target}#{anchor}"


# --- the truth about Kuhn poker ------------------------------------------------------------------

# A view is what `observe` shows to the player to move; a strategy says how likely a view leads to
# putting in a chip (a bet or a call) rather than to a check or a fold.
View = tuple[float, ...]
Strategy = Callable[[View], Fraction]

ALPHAS = (Fraction(0), Fraction(1, 5), Fraction(1, 3))


@pytest.fixture(scope="module")
def kuhn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ModuleType]:
    """The module my_kuhn.py of the page."""
    yield from _imported("my_kuhn", tmp_path_factory)


@pytest.fixture(scope="module")
def bots(kuhn: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ModuleType]:
    """The module my_bots.py of the page on bots."""
    yield from _imported("my_bots", tmp_path_factory)


def _imported(name: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ModuleType]:
    path = tmp_path_factory.mktemp(name) / f"{name}.py"
    path.write_text(files()[path.name])
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    with mock.patch.dict(_games), mock.patch.dict(_bots), mock.patch.dict(_tools):
        sys.modules[name] = module
        spec.loader.exec_module(module)
        yield module
        del sys.modules[name]


def equilibrium(alpha: Fraction) -> dict[tuple[int, bool], tuple[Fraction, ...]]:
    """Kuhn (1950): how often (player, facing a bet?) puts in a chip with jack, queen, king."""
    third, never, always = Fraction(1, 3), Fraction(0), Fraction(1)
    return {
        (0, False): (alpha, never, 3 * alpha),
        (0, True): (never, alpha + third, always),
        (1, False): (third, never, always),
        (1, True): (never, third, always),
    }


def playing(table: dict[tuple[int, bool], tuple[Fraction, ...]]) -> Strategy:
    def strategy(view: View) -> Fraction:
        jack, queen, king, second, _, bet = view
        return table[int(second), bool(bet)][(jack, queen, king).index(1.0)]

    return strategy


def deals(kuhn: ModuleType, game: Game) -> list[np.ndarray]:
    """The six deals, each equally likely."""
    states = []
    for cards in permutations(range(3), 2):
        state = np.full(game.state_size, 99)
        with np.errstate(over="ignore"):
            kuhn.reset(game.cfg, state, seeded(np.random.default_rng(0), 2))
        state[game.state["cards"]] = cards
        states.append(state)
    return states


def view_of(kuhn: ModuleType, game: Game, state: np.ndarray, player: int) -> View:
    out = np.full(game.observation_size, np.nan, np.float32)
    kuhn.observe(game.cfg, state, player, out)
    return tuple(out.tolist())


def chips(kuhn: ModuleType, game: Game, state: np.ndarray, strategies: list[Strategy]) -> Fraction:
    """What the first player can expect from here."""
    mover = int(kuhn.to_move(game.cfg, state))
    if mover < 0:
        result = np.full(2, np.nan)
        kuhn.returns(game.cfg, state, result)
        largest_stake = 1 + game.options["bet"]
        assert result.sum() == 0
        assert (result * largest_stake).tolist() == state[game.state["chips"]].tolist()
        return Fraction(result[0]) * largest_stake
    mask = np.zeros(4, np.int8)
    kuhn.legal(game.cfg, state, mask)
    chip_in, chip_kept = (kuhn.BET, kuhn.CHECK) if mask[kuhn.BET] else (kuhn.CALL, kuhn.FOLD)
    assert sorted(np.flatnonzero(mask)) == sorted((chip_in, chip_kept))
    willing = strategies[mover](view_of(kuhn, game, state, mover))
    expected = Fraction(0)
    for action, probability in ((chip_in, willing), (chip_kept, 1 - willing)):
        if probability:
            after = state.copy()
            kuhn.step(game.cfg, after, action, None)  # no chance follows an action
            expected += probability * chips(kuhn, game, after, strategies)
    return expected


def value(kuhn: ModuleType, first: Strategy, second: Strategy) -> Fraction:
    """The first player's mean result over the six deals, in chips."""
    game = kuhn.kuhn()
    each = [chips(kuhn, game, state, [first, second]) for state in deals(kuhn, game)]
    return sum(each, Fraction(0)) / len(each)


def views(kuhn: ModuleType) -> tuple[list[View], list[View]]:
    """All views on which either player ever has to decide."""
    game = kuhn.kuhn()
    met: tuple[dict[View, None], dict[View, None]] = ({}, {})

    def note(player: int) -> Strategy:
        def undecided(view: View) -> Fraction:
            met[player][view] = None
            return Fraction(1, 2)

        return undecided

    for state in deals(kuhn, game):
        chips(kuhn, game, state, [note(0), note(1)])
    return list(met[0]), list(met[1])


def pure_strategies(of: list[View]) -> Iterator[Strategy]:
    for choices in product((Fraction(0), Fraction(1)), repeat=len(of)):
        yield dict(zip(of, choices, strict=True)).__getitem__


def test_kuhn__each_player_has_six_views(kuhn: ModuleType) -> None:
    first, second = views(kuhn)
    assert len(first) == len(second) == 6  # three cards, facing a bet or not
    assert not set(first) & set(second)


@pytest.mark.parametrize("alpha", ALPHAS)
def test_kuhn__equilibrium_costs_the_first_player_an_18th(
    kuhn: ModuleType, alpha: Fraction
) -> None:
    both = playing(equilibrium(alpha))
    assert value(kuhn, both, both) == Fraction(-1, 18)


@pytest.mark.parametrize("alpha", ALPHAS)
def test_kuhn__no_strategy_does_better_against_the_equilibrium(
    kuhn: ModuleType, alpha: Fraction
) -> None:
    both = playing(equilibrium(alpha))
    first, second = views(kuhn)
    assert max(value(kuhn, mine, both) for mine in pure_strategies(first)) == Fraction(-1, 18)
    assert min(value(kuhn, both, mine) for mine in pure_strategies(second)) == Fraction(-1, 18)


def test_kuhn__too_many_bluffs_are_punished(kuhn: ModuleType) -> None:
    table = equilibrium(Fraction(1, 3))
    table[0, False] = (Fraction(1, 2), Fraction(0), Fraction(1))
    _, second = views(kuhn)
    worst = min(value(kuhn, playing(table), mine) for mine in pure_strategies(second))
    assert worst < Fraction(-1, 18)


def test_kuhn__larger_bets_win_more_chips(kuhn: ModuleType) -> None:
    game = kuhn.kuhn(bet=5)
    with_chips = [lambda view: Fraction(1)] * 2
    assert {abs(chips(kuhn, game, state, with_chips)) for state in deals(kuhn, game)} == {6}
    with pytest.raises(ValueError, match="bet=0"):
        kuhn.kuhn(bet=0)


def test_kuhn__deals_are_equally_likely(kuhn: ModuleType) -> None:
    game = kuhn.kuhn()
    batch = Batch(game, 1000, seed=0)
    dealt = []
    for _ in range(60):
        batch.reset()
        dealt.append(batch.states[:, game.state["cards"]].copy())
    _, counts = np.unique(np.concatenate(dealt), axis=0, return_counts=True)
    assert len(counts) == 6
    assert np.abs(counts - 10_000).max() < 5 * np.sqrt(60_000 * 5 / 36)


def test_kuhn__guesses_are_equally_likely(kuhn: ModuleType) -> None:
    game = kuhn.kuhn()
    rng = seeded(np.random.default_rng(0), 2)
    determinize = game.call("determinize")
    for state in deals(kuhn, game):
        for player in range(2):
            guessed = []
            for _ in range(2000):
                guess = state.copy()
                determinize(game.cfg, guess, player, rng)
                own, other = guess[player], guess[1 - player]
                assert own == state[player] and other != own
                guessed.append(other)
            _, counts = np.unique(guessed, return_counts=True)
            assert len(counts) == 2 and abs(counts[0] - 1000) < 5 * np.sqrt(500)


@pytest.fixture(scope="module")
def solved(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What `bidarena solve my_kuhn:kuhn --json` prints."""
    folder = tmp_path_factory.mktemp("solved")
    write_files(folder)
    found: dict[str, Any] = json.loads(
        run(folder, "-m", "bidarena.cli.main", "solve", "my_kuhn:kuhn", "--json")
    )
    return found


def test_kuhn_solver__finds_the_known_value(solved: dict[str, Any]) -> None:
    assert next(key for key in solved if key not in ("game", "rules")) == "value"
    assert abs(solved["value"] + 1 / 18) < 1e-9


def test_kuhn_solver__no_strategy_does_better_against_its_tables(
    kuhn: ModuleType, solved: dict[str, Any]
) -> None:
    both = playing(
        {
            (player, facing): tuple(
                Fraction(solved[f"{name}_player_puts_in_a_chip"][f"{card}, {bet}"])
                for card in "JQK"
            )
            for player, name in enumerate(("first", "second"))
            for facing, bet in ((False, "no bet"), (True, "bet"))
        }
    )
    first, second = views(kuhn)
    best = max(value(kuhn, mine, both) for mine in pure_strategies(first))
    worst = min(value(kuhn, both, mine) for mine in pure_strategies(second))
    assert abs(best + Fraction(1, 18)) < 1e-5  # the tables are printed with six digits
    assert abs(worst + Fraction(1, 18)) < 1e-5


@pytest.mark.parametrize("alpha", ALPHAS)
def test_equilibrium_bot__has_the_proven_table(bots: ModuleType, alpha: Fraction) -> None:
    game = sys.modules["my_kuhn"].kuhn()
    table = np.array(list(equilibrium(alpha).values()), np.float64)
    assert np.allclose(bots.equilibrium(game, float(alpha)).params, table.ravel())


def test_equilibrium_bot__plays_its_table(kuhn: ModuleType, bots: ModuleType) -> None:
    """Played against itself in the batch, the first player loses an 18th of a chip a game."""
    game, rows = kuhn.kuhn(), 2000
    bot = bots.equilibrium(game)
    batch = Batch(game, rows, seed=0)
    actions = np.zeros(rows, np.int64)
    won = []
    for _ in range(200):
        batch.reset()
        while (batch.movers >= 0).any():
            batch.ask(bot, batch.movers >= 0, actions)
            batch.step(actions)
        won.append(batch.states[:, game.state["chips"].start].copy())
    chips_won = np.concatenate(won)
    assert abs(chips_won.mean() + 1 / 18) < 5 * chips_won.std() / np.sqrt(len(chips_won))


def test_game_pages__are_what_the_environments_say() -> None:
    found = importlib.util.spec_from_file_location("build", DOCS / "build.py")
    assert found is not None
    assert found.loader is not None
    build = importlib.util.module_from_spec(found)
    found.loader.exec_module(build)
    pages = {path.stem: path.read_text() for path in (DOCS / "games").glob("*.md")}
    assert pages == {name: build.page(name) for name in OUR_GAMES}, "run: python docs/build.py"
