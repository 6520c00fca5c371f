"""What the engine sees of four bodies: the two ends of each along x as polynomials of time, and the events they make.

    python examples/kinetic_bounds.py [--until 4] [--picture kinetic_bounds.png]

A picture needs `pip install carom[plot]`.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

import carom

BODIES = (
    ("thrown", carom.Sphere(0.4), carom.Motion((0.0, 0, 0), velocity=(3.0, 0, 0), acceleration=(-1.2, 0, 0))),
    ("sliding", carom.Box((0.8, 0.8, 0.8)), carom.Motion((5.0, 0, 0), velocity=(-0.5, 0, 0))),
    ("passing by", carom.Sphere(0.3), carom.Motion((6.0, 0.9, 0), velocity=(-2.2, 0, 0))),
    (
        "led along keys",
        carom.Sphere(0.25),
        carom.Keyframes((0, 1, 2.5, 4), [(2, 3, 0), (1, 3, 0), (3, 3, 0), (2.5, 3, 0)]),
    ),
)


def ends(shape: carom.Sphere | carom.Box, motion: carom.Motion | carom.Keyframes, times: np.ndarray) -> tuple:
    """Lower and upper end of the body along x at each time."""
    low, high = shape.extents_along(np.eye(3)[:1], np.array([1.0, 0.0, 0.0, 0.0]))
    x = np.array([motion.position_at(t)[0] for t in times])
    return x + low[0], x + high[0]


def main() -> None:
    """Run, print, draw."""
    options = argparse.ArgumentParser(description="Extents over time, and the events between them.")
    options.add_argument("--until", type=float, default=4.0)
    options.add_argument("--picture", type=Path, default=Path("kinetic_bounds.png"))
    asked = options.parse_args()
    world = carom.World(broad="kinetic")
    for name, shape, motion in BODIES:
        world.add(shape, motion, name=name)
    log = world.advance(asked.until)
    for contact in log:
        print(f"{contact.time:.6f} s: {world.name(contact.a)} and {world.name(contact.b)}, {contact.speed:.3f} m/s")
    print(f"{world.stats.swaps} changes of order in the sorted lists, {world.stats.narrow_tests} exact tests")

    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(9, 4.6), layout="constrained")
    times = np.linspace(0.0, asked.until, 400)
    curves = []
    for k, (name, shape, motion) in enumerate(BODIES):
        low, high = ends(shape, motion, times)
        axes.fill_between(times, low, high, color=f"C{k}", alpha=0.25, linewidth=0)
        axes.plot(times, low, times, high, color=f"C{k}", linewidth=1.2)
        axes.annotate(name, (0.04, (low[0] + high[0]) / 2), color=f"C{k}", va="center", weight="bold")
        curves += [low, high]
    crossings = []
    for i, one in enumerate(curves):
        for j in range(i + 1, len(curves)):
            if i // 2 != j // 2:
                gap = one - curves[j]
                crossings += [(times[k], one[k]) for k in np.flatnonzero(np.sign(gap[1:]) != np.sign(gap[:-1]))]
    axes.plot(*zip(*crossings, strict=True), "o", color="0.35", markersize=4, label="two ends change places: an event")
    axes.plot(
        log.times,
        log.points[:, 0],
        "*",
        color="C3",
        markersize=16,
        label="contact: all axes overlap, and the bodies touch",
    )
    for key in BODIES[3][2].times[1:-1]:
        axes.axvline(key, color="C3", linestyle=":", linewidth=1)
    axes.set(xlabel="time (s)", ylabel="extent along x (m)", xlim=(0, asked.until))
    axes.set_title("Bounds are polynomials: every event is a root, known beforehand")
    axes.legend(loc="upper right")
    figure.savefig(asked.picture, dpi=110)
    print(f"picture: {asked.picture}")


if __name__ == "__main__":
    main()
