"""Pairs of boxes against other libraries: the quick run gives a row each; wrong answers have no speed."""

from __future__ import annotations

import io

import numpy as np
import pytest
from rich.console import Console

from carom.bench.broad import boxes
from carom.bench.libraries import Library
from carom.bench.progress import Bar
from carom.boxes import box_pairs
from carom.errors import AuditError


def quick():
    console = Console(file=io.StringIO(), width=180)
    with Bar(console) as bar:
        return boxes.measure_boxes(True, bar), console.file.getvalue()


def test_boxes_quick_has_a_row_for_each_library_and_size():
    table, _ = quick()
    names = [boxes.OURS, boxes.ALONE, *(peer.name for peer in boxes.PEERS if peer.library.installed)]
    assert table.columns == boxes.COLUMNS
    assert [row[:2] for row in table.rows] == [(n, name) for n in (300, 1000) for name in names]
    assert all(row[2] > 0.0 for row in table.rows)


def test_boxes_names_what_is_not_installed(monkeypatch):
    monkeypatch.setattr(Library, "installed", False)
    table, shown = quick()
    assert {row[1] for row in table.rows} == {boxes.OURS, boxes.ALONE}
    assert "not installed: coal, ipctk, python-fcl, warp-lang" in shown


def test_boxes_cloud_has_two_pairs_a_box():
    centres, size = boxes.cloud(20_000, seed=1)
    assert len(box_pairs(centres - 0.5 * size, centres + 0.5 * size)) == pytest.approx(40_000, rel=0.05)


class Wrong:
    def __init__(self, answer):
        self.answer = answer

    def read(self, _):
        return self.answer


@pytest.mark.parametrize(
    "answer", [1, 4, np.array([[0, 1]]), np.array([[0, 1], [3, 1], [2, 4]]), np.array([[0, 1], [3, 1], [1, 3]])]
)
def test_boxes_refuses_missing_added_and_repeated_pairs(answer):
    least, most = boxes._keys(np.array([[0, 1], [1, 3]]), 5), boxes._keys(np.array([[0, 1], [1, 3], [2, 3]]), 5)
    with pytest.raises(AuditError):
        boxes._require_pairs(least, most, 5, {"other": Wrong(answer)}, "other", None)
    with pytest.raises(AuditError):
        boxes._require_pairs(least, most, 5, {}, boxes.OURS, np.array([[0, 1]]))
