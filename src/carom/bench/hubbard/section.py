"""A part of `carom bench hubbard`: its results and claims."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from carom.bench.progress import Bar
from carom.bench.report import Claim, Table


@dataclass
class Section:
    """Tables, claims, pictures and notes of one part."""

    notes: list[str] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    claims: list[Claim] = field(default_factory=list)
    pictures: list[Path] = field(default_factory=list)


Measure = Callable[[Path, bool, Bar], Section]
"""(folder for pictures, quick, progress bar) -> results"""
