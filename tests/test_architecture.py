"""The folders are the architecture: which way imports point, and where games may be named."""

import ast
import io
import re
import tokenize
from functools import cache
from pathlib import Path

import pytest

from bidarena.cli.main import commands
from bidarena.envs import games
from bidarena.studies import studies

ROOT = Path(__file__).parents[1]
LAYERS = ("envs", "baselines", "evaluate", "train", "studies", "arena", "cli")  # lowest first
FULLEST = 14  # modules in a folder, `__init__` and ONE_EACH aside
INTERFACES = tuple(
    f"bidarena.envs.{name}" for name in ("solo", "vector", "multi", "sb3", "rllib", "wrappers")
)
# Modules of a kind that grows, with one module for each: the interfaces and the commands
ONE_EACH = {*INTERFACES, *(module for module, _ in commands().values())}


@cache
def sources() -> dict[str, Path]:
    """All modules of the package by name."""
    found = {}
    for layer in LAYERS:
        for path in sorted((ROOT / layer).rglob("*.py")):
            parts = path.relative_to(ROOT).with_suffix("").parts
            parts = parts[:-1] if parts[-1] == "__init__" else parts
            found[".".join(("bidarena", *parts))] = path
    return found


@cache
def imported(module: str) -> frozenset[str]:
    """The modules of the package that a module imports anywhere, in functions too."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(sources()[module].read_text())):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module}: imports are written in full"
            base = node.module or ""
            for alias in node.names:
                whole = f"{base}.{alias.name}"
                found.add(whole if whole in sources() else base)
    return frozenset(name for name in found if name in sources() and name != module)


def layer_of(module: str) -> int:
    return LAYERS.index(module.split(".")[1])


@pytest.mark.parametrize("module", sources())
def test_imports__point_to_the_own_layer_or_a_lower_one(module):
    above = [name for name in imported(module) if layer_of(name) > layer_of(module)]
    assert not above, f"{module} imports {above}: dependencies point one way, {' < '.join(LAYERS)}"


def test_imports__make_no_circle():
    state: dict[str, str] = {}
    path: list[str] = []

    def visit(module: str) -> None:
        state[module] = "open"
        path.append(module)
        for following in sorted(imported(module)):
            if state.get(following) == "open":
                pytest.fail(f"a circle: {' -> '.join([*path[path.index(following) :], following])}")
            if following not in state:
                visit(following)
        path.pop()
        state[module] = "done"

    for module in sources():
        if module not in state:
            visit(module)


# --- no game's name in generic code --------------------------------------------------------------

# Richman is a mathematician, and his theory serves several games. envs/__init__.py lists the
# folders with a game, studies/__init__.py registers our studies.
NAMED = ("envs/__init__.py", "envs/moved.py", "baselines/solvers/__init__.py")
NAMED += ("baselines/solvers/richman", "baselines/solvers/poorman.py")
NAMED += ("studies/__init__.py", "studies/bench/scaling.py", "studies/suite/hidden_games.py")
STUDIES = {path.partition(":")[0] for path in studies().values()}  # experiments on named games
# Lines of docstrings that show how something is used, and file names of hyperparameters
EXAMPLE = re.compile(r"bidarena [a-z]+ |bidarena/|python -m |\w\(\"|runs/|\"game\": \"")


def mentions(text: str) -> list[str]:
    """The lines that name a game, apart from examples in docstrings."""
    names = "|".join(re.escape(name) for name in (*games(), "twenty-nine", "richmangraph"))
    named = re.compile(rf"\b(?:{names})\b|\bRajAgent", re.IGNORECASE)
    found = []
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in (tokenize.NAME, tokenize.COMMENT, tokenize.STRING):
            long = token.string.startswith(('"""', 'f"""'))
            for line in token.string.splitlines():
                if named.search(line) and not (long and EXAMPLE.search(line)):
                    found.append(f"{token.start[0]}: {line.strip()}")
    return found


def is_generic(module: str) -> bool:
    inside = sources()[module].relative_to(ROOT)
    named = str(inside).startswith(NAMED) or module in STUDIES
    return not set(games()) & set(inside.parts) and not named


@pytest.mark.parametrize("module", list(filter(is_generic, sources())))
def test_generic_code__names_no_game(module):
    # "coins" is also a word: what is tossed
    found = [
        line for line in mentions(sources()[module].read_text()) if "deals and coins" not in line
    ]
    assert not found, f"{module} mentions a game: a game declares its tools with register_tools"


def test_mentions__sees_names_in_code_comments_and_docstrings_but_not_in_examples():
    assert len(mentions('x = "raj"\n')) == 1
    assert len(mentions("from bidarena.envs import raj\n")) == 1
    assert len(mentions("x = 1  # as in Scotch\n")) == 1
    assert len(mentions('"""Plays\n\nas in Coins."""\n')) == 1
    assert not mentions('"""Plays.\n\n    Example: bidarena match raj value\n"""\n')


# --- folders -------------------------------------------------------------------------------------


def test_folders__hold_about_a_dozen_modules():
    counts: dict[Path, set[str]] = {}
    for module, path in sources().items():
        if path.stem != "__init__" and module not in ONE_EACH:
            counts.setdefault(path.parent, set()).add(path.stem)
    crowded = {str(p.relative_to(ROOT)): len(s) for p, s in counts.items() if len(s) > FULLEST}
    assert not crowded


def test_folders__are_all_installed():
    text = (ROOT / "pyproject.toml").read_text()
    packages = {name for name, path in sources().items() if path.stem == "__init__"}
    listed = set(re.findall(r'^    "(bidarena\.[\w.]+)",$', text, re.MULTILINE))
    assert listed == packages
    for path in sources().values():
        assert (path.parent / "__init__.py").is_file(), f"{path.parent} is no package"


def test_tests__mirror_the_sources():
    apart = {"support", "ray", "stacks", "docs"}
    folders = {
        path.parent.relative_to(ROOT / "tests")
        for path in (ROOT / "tests").rglob("test_*.py")
        if path.parent != ROOT / "tests"
    }
    strange = [f for f in folders if f.parts[0] not in apart and not (ROOT / f).is_dir()]
    assert not strange, f"no such folders of sources: {strange}"
