"""Bodies without a dynamic test: their pairs are asked about at fixed times, their bounds renewed on expiry (KSP, 5.2)."""

from __future__ import annotations

import math
from math import inf
from typing import Any

import numpy as np

from carom import validate
from carom.bounds.kinetic import KineticBounds
from carom.bounds.polled import Polled
from carom.engine.body_queries import positions_at, velocities_at
from carom.engine.contract import Engine
from carom.engine.tables import Tables
from carom.errors import CaromError, InvalidInputError
from carom.maths.fixed_order import dot, length
from carom.shapes.kind import SPHERE
from carom.tables.body_columns import ID, KIND, NO_ID
from carom.tables.run_columns import HIT, MISS, NOW, OUT, PASS_THROUGH, PENDING, RESPONSE, SLOT, TIMERS
from carom.types import Status
from carom.world.body_rows import write_given

_SMALL = 1e-100  # Squares of smaller numbers lose digits


Touching = dict[tuple[int, int], float]
"""Pairs of ids with a polled body, the lower first, and the last polling instant at which they touched."""


class Asking:
    """Context in which a function of a polled body runs: it may look at the world, and change nothing.

    Where an event stands halfway, rows and pairs that it goes on with must still be there when the function returns.
    """

    def __init__(self, world: Any) -> None:
        self._world = world

    def __enter__(self) -> None:
        world = self._world
        self._before = world._asking, world._advancing
        world._asking = world._advancing = True

    def __exit__(self, *failure: object) -> None:
        self._world._asking, self._world._advancing = self._before


def check_not_asking(world: Any) -> None:
    """CaromError inside a function of a polled body."""
    if world._asking:
        raise CaromError("a function of a polled body may look at the world, not change it; return from it first")


def poll_pair(
    world: Any, tables: Tables, engine: Engine, polled: dict[int, Polled], touching: Touching, time: float
) -> None:
    """Ask the polled body of the pair in SLOT whether it touches the other at `time`; the answer goes into the tables.

    Bodies that touched at this or the previous polling instant still touch: that is no new contact, unless there is a response
    and they approach again. `touching` is brought up to date.
    """
    slot = int(tables.count[SLOT])
    rows = engine.rows_of(slot)
    ids = [int(tables.link[row, ID]) for row in rows]
    asked = 0 if ids[0] in polled else 1
    pair = (ids[0], ids[1])
    with Asking(world):
        answer = polled[ids[asked]].test(world, ids[asked], ids[1 - asked], time)
    out = tables.param[OUT : OUT + 10]
    if isinstance(answer, tuple | list):
        if len(answer) != 2:
            raise InvalidInputError(f"test gave {validate.shown(answer)}; expected False, True, or (point, normal)")
        out[:3] = validate.vector("point", answer[0])
        out[3:6] = _unit_normal(answer[1]) * (1.0 if asked == 0 else -1.0)
    elif _said_yes(answer):
        here, there = positions_at(tables, np.array(rows), float(tables.param[NOW]))
        apart = float(length(there - here))
        out[:3] = 0.5 * (here + there)
        out[3:6] = (there - here) / apart if apart > 0.0 else (1.0, 0.0, 0.0)
    else:
        tables.count[PENDING] = MISS
        touching.pop(pair, None)
        return
    out[6:9] = (NO_ID, NO_ID, Status.POLLED)
    tables.count[PENDING] = MISS
    interval = 1.0 / max(polled[body].rate for body in pair if body in polled)
    stays = time - touching.get(pair, -inf) < 1.5 * interval
    touching[pair] = time
    if not stays or (tables.count[RESPONSE] != PASS_THROUGH and _closing_speed(tables, rows) > 0.0):
        tables.count[PENDING] = HIT


def _said_yes(answer: Any) -> bool:
    """The answer of a test that names no place; a function that ends without `return` says no."""
    if not (answer is None or isinstance(answer, bool | int | np.bool_ | np.integer)):
        raise InvalidInputError(f"test gave {validate.shown(answer)}; expected False, True, or (point, normal)")
    return bool(answer)


def _unit_normal(given: Any) -> np.ndarray:
    """A normal that a test gave, of length 1."""
    normal = validate.vector("normal", given)
    most = float(np.abs(normal).max())
    if most == 0.0:
        raise InvalidInputError("normal is (0, 0, 0); expected a direction from this body to the other")
    if most < _SMALL:
        normal = normal / most
    return np.asarray(normal / length(normal))


def _closing_speed(tables: Tables, rows: tuple[int, int]) -> float:
    """Speed at which the contact points that OUT describes approach each other along its normal."""
    now = float(tables.param[NOW])
    here = np.array(rows, np.int32)
    arms = tables.param[OUT : OUT + 3] - positions_at(tables, here, now)
    spins = np.where(tables.link[here, KIND, None] == SPHERE, 0.0, tables.spin[here, :3])
    velocities = velocities_at(tables, here, now) + np.cross(spins, arms)
    return float(dot(velocities[0] - velocities[1], tables.param[OUT + 3 : OUT + 6]))


def bounds_now(world: Any, shape: Polled) -> KineticBounds:
    """Ask a polled body for the bounds that hold now, and expire later.

    The sum of the time origin and the clock is rounded, perhaps to before the expiry of bounds that have just expired.
    """
    origin, now = world._origin, float(world._tables.param[NOW])
    later, time = now, origin + now
    with Asking(world):
        bounds = shape.bounds_at(time)
        while bounds.expires - origin <= now:
            later = math.nextafter(later, inf)
            time = max(math.nextafter(time, inf), origin + later)
            bounds = shape.bounds_at(time)
    return bounds


def renew_bounds(world: Any, tables: Tables, engine: Engine, polled: dict[int, Polled], origin: float) -> None:
    """The bounds of the row in SLOT have expired: ask for new ones."""
    row = int(tables.count[SLOT])
    bounds = bounds_now(world, polled[int(tables.link[row, ID])])
    tables.count[TIMERS] += 1
    write_given(tables, row, bounds, origin)
    bounds_renewed(engine, row)


def bounds_renewed(engine: Engine, row: int) -> None:
    """The bounds of a row are new, its motion is not."""
    first, second, since = engine.reported()
    engine.motion_changed(row)
    kept = (first == row) | (second == row)  # what was reported stays so
    engine.remember(first[kept], second[kept], since[kept])
