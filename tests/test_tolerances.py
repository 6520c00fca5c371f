"""Tolerances: each name stands for one number."""

from __future__ import annotations

import ast
from pathlib import Path

import carom.tolerances


def test_tolerances_are_each_defined_once():
    """A second definition of a name would quietly change every kernel that uses the first."""
    tree = ast.parse(Path(carom.tolerances.__file__).read_text(encoding="utf-8"))
    targets = [target for node in tree.body if isinstance(node, ast.Assign) for target in node.targets]
    names = [target.id for target in targets if isinstance(target, ast.Name)]
    assert len(names) > 20
    assert sorted(names) == sorted(set(names))
