"""Horns and their space-time bounds (Hubbard, figures 3 to 5): one axis of space against time."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from carom.bench.plotting import COLOURS, label, new_figure, save
from carom.bounds.meetings.earliest import EarliestIntersection, earliest_intersection
from carom.bounds.space_time import SpaceTimeBounds, space_time_bounds
from carom.motion import Guided

_SPAN = 2.0
_RADIUS = 0.25
_PATHS = 12


def two_ships(thrust_only: bool) -> tuple[list[Guided], SpaceTimeBounds, EarliestIntersection]:
    """Return a ship and a drone, their bounds and the first possible contact; thrust_only: they accelerate only upwards."""
    direction = (-1.0, 0.0, 0.0) if thrust_only else None
    ships = [
        Guided((0.0, 0.0, 0.0), (0.3, 0.0, 0.0), 1.0, _SPAN, direction),
        Guided((3.0, 0.0, 0.0), (-0.2, 0.0, 0.0), 1.0, _SPAN, direction),
    ]
    bounds = space_time_bounds(ships, _RADIUS)
    return ships, bounds, earliest_intersection(bounds)


def admissible_paths(ship: Guided, rng: np.random.Generator, times: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return positions (paths, times) along x of a ship with random accelerations within its limits."""
    low = 0.0 if ship.direction is not None else -1.0
    pushes = ship.max_acceleration * np.repeat(rng.uniform(low, 1.0, (_PATHS, 8)), len(times) // 8 + 1, axis=1)
    dt = times[1] - times[0]
    gained = dt * np.cumsum(pushes[:, : len(times) - 1], axis=1)
    moved = np.concatenate(
        (np.zeros((_PATHS, 1)), np.cumsum(dt * (gained - 0.5 * dt * pushes[:, : len(times) - 1]), axis=1)), 1
    )
    return np.asarray(ship.position[0] + ship.velocity[0] * times + moved)


def draw_horns(path: Path) -> Path:
    """Draw two ships: without and with a known direction of thrust."""
    figure, panels = new_figure(
        2, "Where two steered ships may be: horns, and the space-time bounds around them", height=4.6
    )
    times = np.linspace(0.0, _SPAN, 161)
    for panel, thrust_only in zip(panels, (False, True), strict=True):
        rng = np.random.default_rng(1)
        ships, bounds, first = two_ships(thrust_only)
        for row, (ship, colour) in enumerate(zip(ships, (COLOURS["kinetic"], COLOURS["swept"]), strict=True)):
            course = ship.position[0] + ship.velocity[0] * times
            reach = 0.5 * ship.max_acceleration * times**2 + _RADIUS
            sides = bounds.sides[row]
            low, high = sides[0] + sides[1] * times, sides[2] + sides[3] * times
            if thrust_only:
                plane = bounds.planes[row]
                low = np.maximum(low, -(plane[3] + plane[4] * times))
            panel.fill_between(times, low, high, color=colour, alpha=0.12, linewidth=0.0)
            panel.plot(times, np.stack((low, high), axis=1), color=colour, linewidth=1.2)
            horn_low = course - _RADIUS if thrust_only else course - reach
            panel.fill_between(times, horn_low, course + reach, color=colour, alpha=0.22, linewidth=0.0)
            panel.plot(times, admissible_paths(ship, rng, times).T, color=colour, linewidth=0.5, alpha=0.8)
        panel.axvline(first.time, color="#444444", linewidth=1.0, linestyle="--")
        panel.text(0.03, 0.93, f"no contact before {first.time:.2f} s", transform=panel.transAxes, fontsize=9)
        what = "Pushed only upward: a plane cuts the bounds" if thrust_only else "Pushed in any direction"
        label(panel, what, "time, s", "place along x, m")
    return save(figure, path)
