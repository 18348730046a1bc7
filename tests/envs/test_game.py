"""Named places: `starts` of a layout, and that all code reads only fields which there are."""

import ast
import importlib
from pathlib import Path

import pytest

from bidarena.envs.game import layout, starts

ROOT = Path(__file__).parents[2]
FOLDERS = ("envs", "baselines", "evaluate", "train", "studies", "cli", "tests", "examples")
TABLES = ("S", "C", "A", "V")


def test_starts__is_the_first_index_of_each_part():
    places = starts(layout(mover=1, hands=4, trump=1))
    assert places == (0, 1, 5)
    assert (places.mover, places.hands, places.trump) == (0, 1, 5)


def test_starts__a_part_that_does_not_exist_is_an_error():
    with pytest.raises(AttributeError, match="hnads"):
        starts(layout(hands=4)).hnads  # noqa: B018


def _fields_read(path):
    """(module of a table, its name, the field) for every `S.field` in a file."""
    tree = ast.parse(path.read_text())
    tables = {
        alias.name: node.module
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if alias.name in TABLES
    }
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Attribute)
            and isinstance(node.value, ast.Name)
            and node.value.id in tables
        ):
            yield tables[node.value.id], node.value.id, node.attr


def test_starts__every_field_that_code_reads_exists():
    # Type checkers do not know the fields, and plain Python meets a wrong one only when it runs.
    read = 0
    for folder in FOLDERS:
        for path in (ROOT / folder).rglob("*.py"):
            for module, table, field in _fields_read(path):
                fields = getattr(importlib.import_module(module), table)._fields
                assert field in fields, f"{path}: {table}.{field}"
                read += 1
    assert read > 1000
