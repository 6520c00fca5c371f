"""First contacts of shapes that move and spin, from Python: one pair, or many flights of one pair of shapes."""

from __future__ import annotations

import itertools
from concurrent.futures import ThreadPoolExecutor
from math import inf
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from carom import validate
from carom._compile.jit import compiling
from carom.errors import InvalidInputError
from carom.motion.motion import Motion
from carom.narrow.toi.advancement.scratch import F_ACC, F_D, F_ROT_A, F_ROT_B, F_SPIN_A, F_SPIN_B, F_V, FLIGHT_COLUMNS
from carom.narrow.toi.pair_answer import OUT_SIZE, OUT_STATUS, Contact, contact_of
from carom.narrow.toi.shape_table import ShapeTable
from carom.narrow.toi.spinning import toi_flights_into, toi_spinning
from carom.narrow.toi.status import Status
from carom.shapes import Shape
from carom.tables.body_columns import AX, BODY_COLUMNS, ID, KIND, LINK_COLUMNS, SHAPE, T_REF, VX, X
from carom.tolerances import ADVANCE_GAP

Floats = NDArray[np.float64]


def first_contact_turning(
    a: Shape,
    b: Shape,
    motion_a: Motion,
    motion_b: Motion,
    until: float,
    start: float | None = None,
    gap: float = ADVANCE_GAP,
) -> Contact | None:
    """First contact at clock times from `start` (default: the later epoch) to `until` of two shapes that may spin.

    None if there is none. `gap` (above 0, relative to the smaller body): the time is never late, and then the shapes are no
    farther apart than that. Touching and parting is no contact; overlapping and moving further into each other is one at
    `start`. Status NOT_YET: the search ended at that time, before `until`, with the shapes nearly touching for long.
    """
    table = ShapeTable()
    body, quat, spin = np.zeros((2, BODY_COLUMNS)), np.zeros((2, 4)), np.zeros((2, 3))
    link = np.zeros((2, LINK_COLUMNS), dtype=np.int32)
    for row, (shape, motion) in enumerate(((a, motion_a), (b, motion_b))):
        body[row, X : X + 3], body[row, VX : VX + 3] = motion.position, motion.velocity
        body[row, AX : AX + 3], body[row, T_REF] = motion.acceleration, motion.start
        quat[row], spin[row] = motion.orientation, motion.spin
        link[row, SHAPE], link[row, KIND], link[row, ID] = table.add(shape), shape.kind, row
    epoch = max(motion_a.start, motion_b.start)
    begin = epoch if start is None else validate.moment("start", start)
    if begin < epoch:
        raise InvalidInputError(f"start is {start}; expected at least {epoch}, the later epoch of the motions")
    end = _horizon(until)
    if end < begin:
        raise InvalidInputError(f"until is {until}; expected at least {begin}, the start of the search")
    out = np.zeros(OUT_SIZE)
    with compiling("the pair test for spinning bodies"):
        time = toi_spinning(
            body, quat, spin, link, table.floats, table.ints, 0, 1, begin, end, validate.positive("gap", gap), out
        )
    if time == inf or (time >= end and int(out[OUT_STATUS]) == Status.NOT_YET):
        return None
    return contact_of(time, out)


class Flights(NamedTuple):
    """n states of a body: rotations (n, 9) in rows, positions, velocities, accelerations and spins (n, 3), world axes."""

    rotation: Floats
    position: Floats
    velocity: Floats
    acceleration: Floats
    spin: Floats


class TurningContacts(NamedTuple):
    """First contacts of n flights."""

    time: Floats
    """(n,) s from the given states; inf where there is none."""
    point: Floats
    """(n, 3) world axes."""
    normal: Floats
    """(n, 3) unit, from a to b."""
    face: NDArray[np.int64]
    """(n, 2) row of the face of a mesh or convex shape, side 0..5 of a box, -1 otherwise; of a, of b."""
    status: NDArray[np.int64]
    """(n,) numbers of Status; NOT_YET with a finite time: the search ended there."""
    counts: NDArray[np.int64]
    """(n, 3) tests of boxes, of triangles, and steps of advancement."""


def first_contacts_turning(
    a: Shape,
    b: Shape,
    flights_a: Flights,
    flights_b: Flights,
    until: ArrayLike,
    gap: float = ADVANCE_GAP,
    threads: int = 1,
) -> TurningContacts:
    """First contact in [0, until] seconds of each of n flights of a and b; `until` a number or (n,). See Flights.

    `gap` as in first_contact_turning. Large batches may be split over `threads`.
    """
    swap = a.kind > b.kind
    if swap:
        a, b, flights_a, flights_b = b, a, flights_b, flights_a
    rows_a, rows_b = _checked("flights_a", flights_a), _checked("flights_b", flights_b)
    n = len(rows_a.position)
    if len(rows_b.position) != n:
        raise InvalidInputError(f"flights_a has {n} rows, flights_b {len(rows_b.position)}; expected as many")
    ends = np.array([_horizon(u) for u in np.broadcast_to(np.asarray(until, dtype=np.float64), (n,))])
    rows = np.zeros((n, FLIGHT_COLUMNS))
    rows[:, F_ROT_A : F_ROT_A + 9], rows[:, F_ROT_B : F_ROT_B + 9] = rows_a.rotation, rows_b.rotation
    rows[:, F_SPIN_A : F_SPIN_A + 3], rows[:, F_SPIN_B : F_SPIN_B + 3] = rows_a.spin, rows_b.spin
    rows[:, F_D : F_D + 3] = rows_b.position - rows_a.position
    rows[:, F_V : F_V + 3] = rows_b.velocity - rows_a.velocity
    rows[:, F_ACC : F_ACC + 3] = rows_b.acceleration - rows_a.acceleration
    table = ShapeTable()
    shape_a, shape_b = table.add(a), table.add(b)
    times, points, normals = np.zeros(n), np.zeros((n, 3)), np.zeros((n, 3))
    faces, status, counts = (np.zeros(shape, dtype=np.int64) for shape in ((n, 2), (n,), (n, 3)))
    size = validate.positive("gap", gap)

    def run(part: slice) -> None:
        toi_flights_into(
            table.floats,
            table.ints,
            shape_a,
            shape_b,
            rows[part],
            ends[part],
            size,
            times[part],
            points[part],
            normals[part],
            faces[part],
            status[part],
            counts[part],
        )

    edges = np.linspace(0, n, max(threads, 1) + 1).astype(int)
    parts = [slice(int(p), int(q)) for p, q in itertools.pairwise(edges)]
    with compiling("the pair test for batches of spinning bodies"):
        if len(parts) == 1:
            run(parts[0])
        else:
            with ThreadPoolExecutor(len(parts)) as pool:
                list(pool.map(run, parts))
    none = (status == Status.NOT_YET) & (times >= ends)
    times[none] = inf
    hit = times < inf
    t = times[hit, None]
    points[hit] += rows_a.position[hit] + t * (rows_a.velocity[hit] + 0.5 * t * rows_a.acceleration[hit])
    if swap:
        normals, faces = -normals, np.ascontiguousarray(faces[:, ::-1])
    return TurningContacts(times, points, normals, faces, status, counts)


def _checked(name: str, flights: Flights) -> Flights:
    n = len(np.atleast_1d(flights.position))
    shapes = {"rotation": (n, 9), "position": (n, 3), "velocity": (n, 3), "acceleration": (n, 3), "spin": (n, 3)}
    return Flights(*(validate.array(f"{name}.{key}", getattr(flights, key), shape) for key, shape in shapes.items()))


def _horizon(until: float) -> float:
    """A number of seconds or inf, not NaN."""
    return inf if until == inf else validate.moment("until", until)
