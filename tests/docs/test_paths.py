"""What the documentation says of files, modules and commands is there."""

import ast
import importlib.util
import re
from pathlib import Path

import pytest

from bidarena.cli.main import commands

ROOT = Path(__file__).parents[2]
PAGES = sorted({*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")} - {ROOT / "CHANGELOG.md"})
FOLDERS = ("envs", "baselines", "evaluate", "train", "studies", "cli", "tests", "docs", "examples")
MADE_UP = re.compile(r"mygame|mybot|myalgo|mystudy|mycommand|my_|[A-Z]{2}")  # names in instructions


def ids(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize("page", PAGES, ids=ids)
def test_page__files_that_it_names_exist(page):
    named = re.findall(rf"\b((?:{'|'.join(FOLDERS)})/[\w/]+\.(?:py|md|yml|c))\b", page.read_text())
    missing = {name for name in named if not MADE_UP.search(name) and not (ROOT / name).exists()}
    assert not missing


@pytest.mark.parametrize("page", PAGES, ids=ids)
def test_page__modules_that_it_names_exist(page):
    for name in set(re.findall(r"\bbidarena(?:\.[a-z_][a-z_0-9]*)+", page.read_text())):
        module, _, last = name.rpartition(".")
        assert _is_module(name) or (_is_module(module) and _defines(module, last)), name


def _is_module(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:
        return False


def _defines(module: str, name: str) -> bool:
    """Return whether a module defines or imports that name; the module is read, not imported."""
    found = importlib.util.find_spec(module)
    if found is None or found.origin is None:
        return False
    bound = set()
    for node in ast.parse(Path(found.origin).read_text()).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            bound.add(node.name)
        elif isinstance(node, ast.ImportFrom):
            bound |= {alias.asname or alias.name for alias in node.names}
    return name in bound


@pytest.mark.parametrize("page", PAGES, ids=ids)
def test_page__commands_that_it_names_exist(page):
    named = re.findall(r"(?:^|[`/] ?)bidarena ([a-z]+)\b", page.read_text(), re.MULTILINE)
    assert set(named) <= set(commands())
