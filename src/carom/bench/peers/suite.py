"""`carom bench peers-rings`: the ring scene at 1000 Hz in carom and in other libraries, in one run."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np

from carom.bench.libraries import add_versions, installed
from carom.bench.peers.check import compare, require_agreement, require_no_overlap
from carom.bench.peers.plots import draw_peers
from carom.bench.peers.rapier_pipeline import RapierPipeline
from carom.bench.peers.replay import Replay, RingPeer, record
from carom.bench.peers.trees import CoalTree, FclTree, FclTreePrepared
from carom.bench.progress import Bar
from carom.bench.report import Cell, Claim, Report, Table, at_least
from carom.bench.timing import METHODS, warm_up
from carom.bench.timing import compare as compare_runs
from carom.bench.turns import no_garbage
from carom.engine.broad_phases import AUTO
from carom.scenes.rings import rings
from carom.scenes.scene import Scene

PEERS: tuple[type[RingPeer], ...] = (RapierPipeline, CoalTree, FclTree, FclTreePrepared)
PREPARED = FclTreePrepared.name
"""Has a claim of its own: a simulation does not have its poses in another library's objects before it runs."""
RATE = 1000.0
COLUMNS = ("objects", "library", "CPU s / simulated s", "times carom", "simulated s", "contacts")
CHECK_COLUMNS = ("library", "contacts", "seen", "unfounded")

_FULL = {100: 1.0, 300: 0.5, 1000: 0.3, 3000: 0.15}
_QUICK = {100: 0.05, 200: 0.05}  # Number of rings -> simulated seconds that the other libraries replay


def bench_peers_rings(out: Path, quick: bool, bar: Bar) -> Report:
    """Run every installed library on the same rings."""
    peers = installed(PEERS, "rings", bar)
    for _ in bar.track([0], "compiling"):
        warm_up()
    check = _check(peers, bar)
    rows: list[tuple[Cell, ...]] = []
    for n, duration in bar.track(list((_QUICK if quick else _FULL).items()), "rings at 1000 Hz"):
        rows += _measure(rings(objects=n, density=0.01, seed=1), n, duration, peers, quick)
    table = Table("peers_rings", "Rings, density 1 %, detection at 1000 Hz", COLUMNS, rows)
    report = Report("peers_rings", _notes(peers), [table, check], _claims(rows))
    add_versions(report, [peer.library for peer in peers])
    report.pictures.append(draw_peers(table, PREPARED, out / "peers_rings.png"))
    return report


def _check(peers: list[type[RingPeer]], bar: Bar) -> Table:
    """Check that every library detects carom's contacts in a crowd of bodies that pass through each other."""
    crowd = record(rings(objects=200, density=0.15, seed=2), rate=500.0, n_frames=500, pass_through=True)
    rows: list[tuple[Cell, ...]] = []
    for peer in bar.track(peers, "comparing contacts"):
        agreement = compare(crowd, peer(crowd).run(), peer.slack)
        require_agreement(peer.name, agreement)
        rows.append((peer.name, agreement.contacts, agreement.seen, agreement.unfounded))
    title = "Check: contacts that carom reports among 200 crowded rings, density 15 %, bodies passing through, 500 Hz"
    return Table("peers_check", title, CHECK_COLUMNS, rows)


def _measure(scene: Scene, n: int, duration: float, peers: list[type[RingPeer]], quick: bool) -> list[tuple[Cell, ...]]:
    carom_duration, repeats = (duration, 1) if quick else (1.0, 5)
    cases: dict[str, dict[str, Any]] = {method: {"broad": method} for method in (AUTO, *METHODS)}
    cases["kinetic, 2 axes"] = {"broad": "kinetic", "axes": np.eye(3)[:2]}
    runs = compare_runs(scene, RATE, carom_duration, repeats, f"rings, N = {n}", cases)
    default = runs[AUTO].seconds / carom_duration
    rows: list[tuple[Cell, ...]] = []
    for method, run in runs.items():
        cost = run.seconds / carom_duration
        rows.append((n, f"carom, {method}", cost, cost / default, carom_duration, len(run.log)))
    replay = record(scene, RATE, round(RATE * duration))
    for peer in peers:
        cost = _time_peer(peer, replay, repeats) / duration
        rows.append((n, peer.name, cost, cost / default, duration, len(replay.times)))
    return rows


def _time_peer(peer: type[RingPeer], replay: Replay, repeats: int) -> float:
    """Return CPU seconds of the best of `repeats` runs."""
    best = float("inf")
    for _ in range(repeats):
        library = peer(replay)
        with no_garbage():
            begin = time.process_time()
            sightings = library.run()
            best = min(best, time.process_time() - begin)
        require_no_overlap(peer.name, replay, sightings, peer.slack)
    return best


def _claims(rows: list[tuple[Cell, ...]]) -> list[Claim]:
    """Compare at N = 1000, or the largest quick scene, with carom's default and with its fastest setting."""
    sizes = [int(row[0]) for row in rows]
    n = 1000 if 1000 in sizes else max(sizes)
    others = [row for row in rows if row[0] == n and not str(row[1]).startswith("carom")]
    ours = min((row for row in rows if row[0] == n and row not in others), key=lambda row: float(row[2]))
    claims = []
    for how, field in (
        ("handed over frame by frame", [row for row in others if row[1] != PREPARED]),
        ("converted before the clock", others),
    ):
        if field:
            best = min(field, key=lambda row: float(row[2]))
            what = f"rings, N = {n}, 1000 Hz, best peer over carom, poses {how} ({str(best[1]).split(',')[0]})"
            claims.append(at_least(what, best[3], 30.0))
            what = what.replace("over carom", f"over {str(ours[1]).replace(', ', ' ', 1)}")
            claims.append(at_least(what, float(best[2]) / float(ours[2]), 30.0))
    return claims


def _notes(peers: list[type[RingPeer]]) -> list[str]:
    return [
        "The same scene and paths for all: carom simulates the scene with elastic bounces (detection, response, walls); the "
        "others replay its motions frame by frame, only detect, and have no walls.",
        "carom is continuous: it reports every contact with its exact time. The others test each frame at its instant.",
        "CPU time of all threads, without set-up and compilation, best of several runs, ratios from one run.",
        "Checked in this run: carom's broad phases report bit-identical contacts; in a crowd of bodies that pass through each "
        "other each library reports carom's contacts at the next frame (a grazing contact may fall between frames); along "
        "the timed paths none reports an overlap.",
        *(f"{peer.name}: {peer.how}." for peer in peers),
        f"The target is given twice. '{PREPARED}' measures the tree alone; a simulation, whose poses change as it runs, has "
        "to convert them and corresponds to the other figure.",
    ]
