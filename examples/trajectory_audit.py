"""Who came too near to whom? Logged trajectories, audited exactly, and what looking at samples would have seen.

    python examples/trajectory_audit.py [--drones 60] [--seconds 60] [--picture trajectory_audit.png]

A picture needs `pip install carom[plot]`.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

import carom

SAFE = 4.0
"""Metres between centres."""
LOOKS = (1, 2, 5, 10, 20, 50)
"""Per second."""


def fly(drones: int, seconds: int) -> tuple[np.ndarray, np.ndarray]:
    """Times (n,), one a second, and positions (drones, n, 3) that a logger could have written."""
    rng = np.random.default_rng(7)
    steps = rng.normal(scale=12.0, size=(drones, seconds + 1, 3)) * (1, 1, 0.1)
    start = rng.uniform(-60, 60, (drones, 1, 3)) * (1, 1, 0.1)
    return np.arange(seconds + 1.0), start + np.cumsum(steps, axis=1)


def audit(times: np.ndarray, tracks: np.ndarray) -> dict[tuple[int, int], float]:
    """Every pair that comes nearer than SAFE, with its first such moment."""
    world = carom.World(start=times[0])
    for track in tracks:
        world.add(carom.Sphere(SAFE / 2), carom.Keyframes(times, track))
    first: dict[tuple[int, int], float] = {}
    for contact in world.advance(times[-1]):
        first.setdefault((contact.a, contact.b), contact.time)
    return first


def seen(times: np.ndarray, tracks: np.ndarray, looks: int) -> set[tuple[int, int]]:
    """Pairs that are too near at one of `looks` samples a second."""
    found = set()
    for t in np.arange(times[0], times[-1] + 1e-9, 1.0 / looks):
        k = min(int(t), len(times) - 2)
        places = tracks[:, k] + (t - times[k]) * (tracks[:, k + 1] - tracks[:, k])
        pairs = carom.boxes.box_pairs(places - SAFE / 2, places + SAFE / 2)
        near = np.linalg.norm(places[pairs[:, 0]] - places[pairs[:, 1]], axis=1) < SAFE
        found.update((int(i), int(j)) for i, j in pairs[near])
    return found


def main() -> None:
    """Run, print, draw."""
    options = argparse.ArgumentParser(description="Audit logged trajectories.")
    options.add_argument("--drones", type=int, default=60)
    options.add_argument("--seconds", type=int, default=60)
    options.add_argument("--picture", type=Path, default=Path("trajectory_audit.png"))
    asked = options.parse_args()
    times, tracks = fly(asked.drones, asked.seconds)
    first = audit(times, tracks)
    print(f"{len(first)} pairs came nearer than {SAFE} m")
    counts = []
    for looks in LOOKS:
        found = seen(times, tracks, looks)
        assert found <= set(first), "a sample cannot see what did not happen"
        counts.append(len(found))
        print(f"{looks:3} looks a second see {len(found)} of them")

    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, (chart, plan) = plt.subplots(1, 2, figsize=(11, 4.4), layout="constrained")
    chart.bar([str(looks) for looks in LOOKS], counts, color="C0", label="seen by samples")
    chart.axhline(len(first), color="C3", label="carom: all of them")
    chart.set(
        xlabel="looks per second", ylabel="pairs too near", title=f"Nearer than {SAFE:g} m, {asked.drones} drones"
    )
    chart.legend(loc="lower right")
    missed = {pair: t for pair, t in first.items() if pair not in seen(times, tracks, 1)}
    for track in tracks:
        plan.plot(track[:, 0], track[:, 1], color="0.85", linewidth=0.6, zorder=1)
    for pairs, colour, label in ((first, "C0", "seen at 1 Hz"), (missed, "C3", "missed at 1 Hz")):
        spots = np.array([carom.Keyframes(times, tracks[i]).position_at(t)[:2] for (i, _), t in pairs.items()])
        if len(spots):
            plan.plot(*spots.T, "o", color=colour, markersize=5, label=label, zorder=2)
    plan.set(aspect="equal", xlabel="x (m)", ylabel="y (m)", title="Where it happened")
    plan.legend(loc="lower right")
    figure.savefig(asked.picture, dpi=110)
    print(f"picture: {asked.picture}")


if __name__ == "__main__":
    main()
