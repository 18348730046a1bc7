"""What a study hands to whoever shows it: numbers for JSON, and tables for people."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Sheet:
    """A table of text."""

    title: str
    columns: list[str]
    rows: list[list[str]]


@dataclass(frozen=True)
class Report:
    """The result of a study."""

    result: dict[str, Any]  # JSON-able
    sheets: list[Sheet] = field(default_factory=list)
    files: list[Path] = field(default_factory=list)  # what was written
