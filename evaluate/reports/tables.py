"""The report of a study: numbers for JSON, and tables to print."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class TableSpec:
    """The text of a table to print."""

    title: str
    columns: list[str]
    rows: list[list[str]]


@dataclass(frozen=True)
class Report:
    """The result of a study."""

    result: dict[str, Any]  # JSON-able
    tables: list[TableSpec] = field(default_factory=list)
    files: list[Path] = field(default_factory=list)  # files that were written
