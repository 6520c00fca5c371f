"""Other libraries see what carom reports, and the comparison leaves its files."""

import csv
import io

import numpy as np
import pytest
from rich.console import Console

from carom.bench import run
from carom.bench.libraries import Library
from carom.bench.peers import suite
from carom.bench.peers.check import Agreement, compare, require_agreement, require_no_overlap
from carom.bench.peers.replay import Replay, record
from carom.errors import AuditError
from carom.scenes.rings import rings

CROWDED = rings(objects=200, density=0.15, seed=2)


def tiny_replay(times: list[float], pairs: list[tuple[int, int]]) -> Replay:
    return Replay([], [], np.zeros((101, 3, 3)), 0.01, np.array(times), np.array(pairs, dtype=np.int64).reshape(-1, 2))


def test_compare_counts_seen_missed_and_unfounded_pairs():
    replay = tiny_replay([0.105, 0.205, 0.995], [(0, 1), (0, 2), (1, 2)])
    assert compare(replay, [(11, 0, 1), (12, 0, 1)], slack=1) == Agreement(contacts=2, seen=1, unfounded=0)
    assert compare(replay, [(15, 0, 1), (5, 0, 2)], slack=1) == Agreement(contacts=2, seen=1, unfounded=1)


def test_require_agreement_refuses_blind_and_inventive_libraries():
    require_agreement("good", Agreement(10, 9, 0))
    with pytest.raises(AuditError, match="blind"):
        require_agreement("blind", Agreement(10, 0, 0))
    with pytest.raises(AuditError, match="inventive"):
        require_agreement("inventive", Agreement(10, 10, 1))


def test_require_no_overlap_allows_only_a_touch_near_a_contact():
    replay = tiny_replay([0.105], [(0, 1)])
    require_no_overlap("good", replay, [(11, 0, 1)], slack=1)
    with pytest.raises(AuditError, match="frame 20"):
        require_no_overlap("bad", replay, [(20, 0, 1)], slack=1)


def test_record_keeps_meshes_only_and_starts_at_the_scene():
    replay = record(CROWDED, rate=100.0, n_frames=10)
    assert replay.positions.shape == (11, 200, 3)
    assert len(replay.vertices) == len(replay.faces) == 200
    moved = replay.positions[0] - CROWDED.positions[:200]
    np.testing.assert_allclose(moved, np.broadcast_to(moved[0], moved.shape), atol=1e-12)
    assert np.all(replay.pairs < 200)


@pytest.mark.parametrize("peer", suite.PEERS, ids=lambda peer: peer.name)
def test_peer_sees_what_carom_reports(peer):
    pytest.importorskip(peer.library.module)
    passing = record(CROWDED, rate=200.0, n_frames=200, pass_through=True)
    agreement = compare(passing, peer(passing).run(), peer.slack)
    assert agreement.contacts > 10
    require_agreement(peer.name, agreement)
    bouncing = record(CROWDED, rate=200.0, n_frames=100)
    require_no_overlap(peer.name, bouncing, peer(bouncing).run(), peer.slack)


def test_peers_rings_quick_writes_table_and_picture(tmp_path):
    pytest.importorskip("fcl")
    console = Console(file=io.StringIO(), width=180)
    report = run("peers-rings", tmp_path, quick=True, console=console)
    with (tmp_path / "peers_rings.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert {"carom, auto", "carom, kinetic", "python-fcl"} <= {row["library"] for row in rows}
    assert {row["objects"] for row in rows} == {"100", "200"}
    assert all(row["seen"] <= row["contacts"] for row in report.as_dict()["tables"]["peers_check"])
    assert (tmp_path / "peers_rings.png").exists()
    assert "best peer" in report.claims[0].what


def test_peers_rings_missing_libraries_are_named_with_the_extra(tmp_path, monkeypatch):
    monkeypatch.setattr(Library, "installed", False)
    monkeypatch.setattr(suite, "_QUICK", {40: 0.01})
    console = Console(file=io.StringIO(), width=180)
    report = run("peers-rings", tmp_path, quick=True, console=console)
    assert ".[peers]" in console.file.getvalue()
    assert "rapier3d" in console.file.getvalue()
    assert {str(row[1]).split(",")[0] for row in report.tables[0].rows} == {"carom"}
    assert report.claims == []
