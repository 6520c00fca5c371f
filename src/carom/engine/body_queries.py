"""What a world can tell about its bodies and its work, read from the tables. Times are local: since the time origin."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from carom._compile.clock import ticks_per_second
from carom.engine.tables import Tables
from carom.motion import Keyframes, Motion, Motions
from carom.motion.turning import turned_quaternions
from carom.tables import run_columns as col
from carom.tables.body_columns import AX, FLAGS, INV_INERTIA, INV_MASS, KEYED, T_REF, TRACK, VX, X
from carom.types import Stats

Floats = NDArray[np.float64]


def positions_at(tables: Tables, rows: NDArray[Any], when: float) -> Floats:
    """Positions (n, 3) of rows under their present motions."""
    body = tables.body[rows]
    dt = (when - body[:, T_REF])[:, None]
    return np.asarray(body[:, X : X + 3] + dt * (body[:, VX : VX + 3] + 0.5 * dt * body[:, AX : AX + 3]))


def velocities_at(tables: Tables, rows: NDArray[Any], when: float) -> Floats:
    """Velocities (n, 3) of rows under their present motions."""
    body = tables.body[rows]
    dt = (when - body[:, T_REF])[:, None]
    return np.asarray(body[:, VX : VX + 3] + dt * body[:, AX : AX + 3])


def spins_of(tables: Tables, rows: NDArray[Any]) -> Floats:
    """Spins (n, 3) of rows, rad/s in world axes."""
    return tables.spin[rows, :3]


def inertias_of(tables: Tables, rows: NDArray[Any]) -> Floats:
    """Moments of inertia (n,) of rows; inf for what contacts do not turn."""
    inverse = tables.spin[rows, INV_INERTIA]
    return np.divide(1.0, inverse, out=np.full(len(inverse), np.inf), where=inverse > 0.0)


def masses_of(tables: Tables, rows: NDArray[Any]) -> Floats:
    """Masses (n,) of rows; inf for what nothing can move."""
    inverse = tables.body[rows, INV_MASS]
    return np.divide(1.0, inverse, out=np.full(len(inverse), np.inf), where=inverse > 0.0)


def motion_of(tables: Tables, row: int, origin: float) -> Motion:
    """The motion that a row follows now; `origin` is the world's time origin."""
    state = tables.body[row]
    turned = tables.quat[row] if tables.quat[row].any() else (1.0, 0.0, 0.0, 0.0)
    start = origin + float(state[T_REF])
    return Motion(state[X : X + 3], state[VX : VX + 3], state[AX : AX + 3], turned, tables.spin[row, :3], start)


def keyframes_of(tables: Tables, row: int, origin: float) -> Keyframes | None:
    """The keyframes that a row follows, None where it follows none; `origin` is the world's time origin."""
    if tables.link[row, FLAGS] != KEYED:
        return None
    _, end, first = (int(k) for k in tables.track[tables.link[row, TRACK]])
    keys = slice(first, end)
    return Keyframes(tables.key_time[keys] + origin, tables.key_pos[keys], tables.key_turn[keys, :4])


def motions_of(tables: Tables, rows: NDArray[Any], origin: float) -> Motions:
    """The motions that rows follow now; `origin` is the world's time origin."""
    body, quats = tables.body[rows], tables.quat[rows]
    quats[~quats.any(axis=1), 0] = 1.0
    where, speed, change = (body[:, k : k + 3] for k in (X, VX, AX))
    return Motions(where, speed, change, quats, tables.spin[rows, :3], origin + body[:, T_REF])


def orientations_at(tables: Tables, rows: NDArray[Any], when: float) -> Floats:
    """Orientations (n, 4) w, x, y, z of rows under their present motions."""
    quats = tables.quat[rows]
    quats[~quats.any(axis=1), 0] = 1.0
    return turned_quaternions(quats, tables.spin[rows, :3], when - tables.body[rows, T_REF])


def stats_of(tables: Tables, rebuilds: int, active_pairs: int) -> Stats:
    """All counters."""
    count, param = tables.count, tables.param
    rate = ticks_per_second() if param[[col.TICKS_UPDATE, col.TICKS_SORT, col.TICKS_NARROW]].any() else 1.0
    return Stats(
        swaps=int(count[col.SWAPS]),
        motion_changes=int(count[col.MOTION_CHANGES]),
        pair_tests=int(count[col.PAIR_TESTS]),
        narrow_tests=int(count[col.NARROW_TESTS]),
        primitive_tests=int(count[col.PRIMITIVE_TESTS]),
        contacts=int(count[col.CONTACTS]),
        timers=int(count[col.TIMERS]),
        rebuilds=rebuilds,
        active_pairs=active_pairs,
        seconds_update=float(param[col.TICKS_UPDATE]) / rate,
        seconds_sort=float(param[col.TICKS_SORT]) / rate,
        seconds_narrow=float(param[col.TICKS_NARROW]) / rate,
    )
