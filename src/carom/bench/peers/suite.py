"""`carom bench peers-rings`: the ring scene at 1000 Hz in carom and in other libraries, in one run."""

from __future__ import annotations

import importlib.util
import time
from functools import partial
from importlib import metadata
from pathlib import Path

import numpy as np

from carom.bench.garbage import no_garbage
from carom.bench.peers.check import compare, require_agreement, require_no_overlap
from carom.bench.peers.coal_tree import CoalTree
from carom.bench.peers.fcl_tree import FclTree, FclTreePrepared
from carom.bench.peers.peer import Peer
from carom.bench.peers.plots import draw_peers
from carom.bench.peers.rapier_pipeline import RapierPipeline
from carom.bench.peers.replay import Replay, record
from carom.bench.progress import Bar
from carom.bench.report import Cell, Claim, Report, Table
from carom.bench.timing import METHODS, best_of, run_scene
from carom.bench.warm import warm_up
from carom.engine.broad_phase_choice import AUTO
from carom.scenes.rings import rings
from carom.scenes.scene import Scene

PEERS: tuple[type[Peer], ...] = (RapierPipeline, CoalTree, FclTree, FclTreePrepared)
PREPARED = FclTreePrepared.name
"""Has a claim of its own: no simulation has its poses ready in another library's objects before it runs."""
RATE = 1000.0
COLUMNS = ("objects", "library", "CPU s / simulated s", "times carom", "simulated s", "contacts")
CHECK_COLUMNS = ("library", "contacts", "seen", "unfounded")

_FULL = {100: 1.0, 300: 0.5, 1000: 0.3, 3000: 0.15}
_QUICK = {100: 0.05, 200: 0.05}
"""Objects -> simulated seconds that the other libraries replay."""


def bench_peers_rings(out: Path, quick: bool, bar: Bar) -> Report:
    """Run every library on the same rings; libraries that are not installed are skipped with a message."""
    peers = [peer for peer in PEERS if importlib.util.find_spec(peer.module) is not None]
    missing = sorted({peer.package for peer in PEERS if peer not in peers})
    if missing:
        bar.say(f"skipped, not installed: {', '.join(missing)} (install with: pip install -e '.[peers]')")
    for _ in bar.track([0], "compiling"):
        warm_up()
    check = _check(peers, bar)
    rows: list[tuple[Cell, ...]] = []
    for n, duration in bar.track(list((_QUICK if quick else _FULL).items()), "rings at 1000 Hz"):
        rows += _measure(rings(objects=n, density=0.01, seed=1), n, duration, peers, quick)
    table = Table("peers_rings", "Rings, density 1 %, detection at 1000 Hz", COLUMNS, rows)
    report = Report("peers_rings", _notes(peers), [table, check], _claims(rows))
    report.machine |= {peer.package: metadata.version(peer.package) for peer in peers}
    report.pictures.append(draw_peers(table, PREPARED, out / "peers_rings.png"))
    return report


def _check(peers: list[type[Peer]], bar: Bar) -> Table:
    """Let every library look for carom's contacts in a crowd that passes through itself; AuditError where it fails."""
    crowd = record(rings(objects=200, density=0.15, seed=2), rate=500.0, n_frames=500, pass_through=True)
    rows: list[tuple[Cell, ...]] = []
    for peer in bar.track(peers, "do they see the same?"):
        agreement = compare(crowd, peer(crowd).run(), peer.slack)
        require_agreement(peer.name, agreement)
        rows.append((peer.name, agreement.contacts, agreement.seen, agreement.unfounded))
    title = "Check: contacts that carom reports among 200 crowded rings, density 15 %, bodies passing through, 500 Hz"
    return Table("peers_check", title, CHECK_COLUMNS, rows)


def _measure(scene: Scene, n: int, duration: float, peers: list[type[Peer]], quick: bool) -> list[tuple[Cell, ...]]:
    carom_duration, repeats = (duration, 1) if quick else (1.0, 5)
    cases = {method: partial(run_scene, scene, RATE, carom_duration, method) for method in (AUTO, *METHODS)}
    cases["kinetic, 2 axes"] = partial(run_scene, scene, RATE, carom_duration, "kinetic", axes=np.eye(3)[:2])
    runs = best_of(cases, repeats, f"rings, N = {n}")
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


def _time_peer(peer: type[Peer], replay: Replay, repeats: int) -> float:
    """CPU seconds of the best of `repeats` fresh runs."""
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
    """The target at N = 1000 (or the largest scene of a quick run), over carom's default and over its fastest setting."""
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
            claims.append(Claim(what, float(best[3]), "at least", 30.0, "x"))
            what = what.replace("over carom", f"over {str(ours[1]).replace(', ', ' ', 1)}")
            claims.append(Claim(what, float(best[2]) / float(ours[2]), "at least", 30.0, "x"))
    return claims


def _notes(peers: list[type[Peer]]) -> list[str]:
    return [
        "Same scene and same paths for all: carom runs the scene itself with elastic bounces (detection, response, "
        "walls); the others replay its motions frame by frame, detect only, and know no walls.",
        "carom is continuous: every contact with its exact time. The others test each frame as it stands.",
        "CPU time of all threads, set-up and compilation excluded, best of several runs, ratios within this run.",
        "Checked in this run: carom's broad phases report bit-identical contacts; in a crowd that passes through "
        "itself each library sees the contacts that carom reports, at the frame after them (frames may skip a grazing "
        "one); along the timed bouncing paths none sees an overlap.",
        *(f"{peer.name}: {peer.how}." for peer in peers),
        f"The target is given twice. '{PREPARED}' is what the tree alone costs; a simulation whose poses change as it "
        "runs has to convert them, and meets the other figure.",
    ]
