"""Queries about a pair in motion: time of impact, and shapes cast along a translation."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from carom import validate
from carom.errors import InvalidInputError, SearchLimitError
from carom.motion import Keyframes, Motion, Motions
from carom.motion.turning import rotations, turned_quaternions
from carom.narrow.toi.advancement.scratch import F_ACC, F_D, F_ROT_A, F_ROT_B, F_SPIN_A, F_SPIN_B, F_V, FLIGHT_COLUMNS
from carom.narrow.toi.status import OVERLAPPING
from carom.pose import poses
from carom.queries.pairs.choose import pair_of
from carom.queries.pairs.pair import Pair
from carom.queries.results import Impact, single
from carom.queries.starts import start_overlaps
from carom.queries.toi_dispatch import Struck, joined, refuse_unsupported, strike
from carom.shapes import Shape
from carom.tolerances import ADVANCE_GAP

Floats = NDArray[np.float64]

Moving = Motion | Keyframes | Motions | Sequence[Motion]


def time_of_impact(
    a: Shape,
    b: Shape,
    motion_a: Moving,
    motion_b: Moving,
    until: float,
    *,
    gap: float = ADVANCE_GAP,
    threads: int | None = None,
) -> Impact | None:
    """Compute when and where two moving shapes first touch.

    The search begins at the later start of the two motions and ends at `until`. Without spin, times of spheres, boxes,
    convex hulls, meshes and half-spaces are exact. Otherwise a time is never late, and early by at most the time that
    closes a gap of `gap`. A mesh is a surface.

    Shapes that overlap at the start touch then, whatever their motions: the time is the start, the status is OVERLAPPING, and
    point, normal and features describe one contact, as `collide` does. Shapes that only touch at the start (overlap of
    at most 1e-9 of the smaller one) touch then if they approach each other. If they separate, rest against each other
    or slide along each other, this touch is no impact, and the search continues; `collide` reports such a touch.

    Parameters
    ----------
    a, b : Shape
        The two shapes.
    motion_a, motion_b : Motion, Keyframes, Motions or sequence of Motion
        The motions. `Motions`, or a sequence of Motion, in one or both makes a batch of n motions.
    until : float, or array_like of shape (n,) in a batch
        End of the search, s; finite.
    gap : float
        Distance that counts as touching where the search is conservative, relative to the size of the smaller shape.
    threads : int, optional
        Number of threads of a batch. Default: all cores.

    Returns
    -------
    Impact or None
        For two single motions, an Impact, or None if the shapes never touch. For a batch, an Impact of arrays, whose
        time is inf where they never touch.

    Raises
    ------
    InvalidInputError
        An argument is malformed, or `until` is before the start.
    UnsupportedMotionError
        A half-space spins, and the other shape is a capsule, a cylinder, a cone or an ellipsoid.
    UnsupportedPairError
        A shape is `Polled`.
    SearchLimitError
        Bodies turn or roll at a distance equal to the tolerance for too long. It is raised after some seconds of work,
        and holds the time up to which there is no contact.
    """
    pair = pair_of(a, b)
    limit = validate.positive("gap", gap)
    validate.threads(threads)
    if isinstance(motion_a, Keyframes) or isinstance(motion_b, Keyframes):
        return _along_keys(pair, motion_a, motion_b, validate.moment("until", until), limit)
    one = isinstance(motion_a, Motion) and isinstance(motion_b, Motion)
    first, second = _motions("motion_a", motion_a), _motions("motion_b", motion_b)
    n = _length(first, second)
    start = np.broadcast_to(np.maximum(first.start, second.start), (n,))
    ends = _ends(until, n, one)
    early = np.flatnonzero(ends < start)
    if len(early):
        k = int(early[0])
        raise InvalidInputError(f"until is {ends[k]}; expected a time not before the start of the motions, {start[k]}")
    result = _impact(pair, _states(first, start), _states(second, start), start, ends - start, limit, threads, not one)
    if not one:
        return result
    found = single(result)
    return found if np.isfinite(found.time) else None


def shape_cast(
    shape: Shape,
    others: Shape | Sequence[Shape],
    translation: ArrayLike,
    pose: ArrayLike | None = None,
    poses_of_others: ArrayLike | None = None,
) -> Impact | None:
    """Move a shape along a translation and find the first of the other shapes that it touches.

    Parameters
    ----------
    shape : Shape
        The shape that moves.
    others : Shape or sequence of Shape
        One shape or m shapes at rest.
    translation : array_like of shape (3,)
        The translation, m.
    pose : array_like of shape (4, 4), optional
        Initial pose of `shape`. Default: the identity.
    poses_of_others : array_like of shape (4, 4) or (m, 4, 4), optional
        One pose per other shape. Default: the identity.

    Returns
    -------
    Impact or None
        `Impact.time` is the fraction of the translation, from 0 to 1. `Impact.feature_b` is the index in `others` of
        the shape that was hit (0 for a single shape). None if there is no contact. A shape that overlaps another at the
        start hits it there (time 0, status OVERLAPPING), whatever the translation; a mere touch counts as for `time_of_impact`.

    Raises
    ------
    InvalidInputError
        An argument is malformed, or the number of poses does not match the number of shapes.
    UnsupportedPairError
        A shape is `Polled`.
    """
    if not isinstance(others, Shape | Sequence):
        raise InvalidInputError(f"others is {validate.shown(others)}; expected a carom shape or a list of shapes")
    targets = [others] if isinstance(others, Shape) else list(others)
    for name, each in (("shape", shape), *((f"others[{k}]", other) for k, other in enumerate(targets))):
        if not isinstance(each, Shape):
            raise InvalidInputError(f"{name} is {validate.shown(each)}; expected a carom shape")
    way = validate.vector("translation", translation)
    where, there = poses("pose", pose), poses("poses_of_others", poses_of_others)
    if not where.single:
        raise InvalidInputError("pose has several poses; expected one 4x4 matrix")
    if poses_of_others is not None and len(there) != len(targets):
        raise InvalidInputError(f"poses_of_others has {len(there)} poses; expected {len(targets)}, one a shape")
    best: Impact | None = None
    for k, other in enumerate(targets):
        pair = pair_of(shape, other)
        j = k if len(there) == len(targets) else 0
        moving = _State(where.positions, way[None], np.zeros((1, 3)), where.rotations, np.zeros((1, 3)))
        still = _State(
            there.positions[j : j + 1], np.zeros((1, 3)), np.zeros((1, 3)), there.rotations[j : j + 1], np.zeros((1, 3))
        )
        until = np.ones(1) if best is None else np.array([best.time])
        found = single(_impact(pair, moving, still, np.zeros(1), until, ADVANCE_GAP, 1, False))
        if np.isfinite(found.time) and (best is None or found.time < best.time):
            best = Impact(
                found.time, found.point, found.normal, found.feature_a, k, found.status, found.volume_tests,
                found.primitive_tests, found.steps,
            )  # fmt: skip
    return best


class _State(NamedTuple):
    """Positions, velocities, accelerations (n, 3), rotations (n, 3, 3) and spins (n, 3) at one instant."""

    position: Floats
    velocity: Floats
    acceleration: Floats
    rotation: Floats
    spin: Floats


def _motions(name: str, motion: object) -> Motions:
    if isinstance(motion, Motions):
        return motion
    each = [motion] if isinstance(motion, Motion) else motion
    if not isinstance(each, Sequence) or not all(isinstance(m, Motion) for m in each):
        raise InvalidInputError(
            f"{name} is {validate.shown(motion)}; expected a carom.Motion, Keyframes, Motions or a list of Motion"
        )
    return Motions.of(each)


def _length(a: Motions, b: Motions) -> int:
    if len(a) != len(b) and 1 not in (len(a), len(b)):
        raise InvalidInputError(f"motion_a has {len(a)} motions and motion_b {len(b)}; expected as many, or one")
    return max(len(a), len(b)) if len(a) and len(b) else 0


def _ends(until: ArrayLike, n: int, one: bool) -> Floats:
    """Return ends (n,) of searches: a number for a single one, else one for all or one per search."""
    given = validate.moments("until", until, (), *(() if one else ((n,), (1,))))
    return np.broadcast_to(given, (n,))


def _states(motions: Motions, start: Floats) -> _State:
    n = len(start)

    def rows(values: Floats) -> Floats:
        return np.broadcast_to(values, (n, values.shape[1]))

    dt = (start - motions.start)[:, None]
    quats = turned_quaternions(rows(motions.orientations), rows(motions.spins), dt[:, 0])
    return _State(
        rows(motions.positions) + dt * (rows(motions.velocities) + 0.5 * dt * rows(motions.accelerations)),
        rows(motions.velocities) + dt * rows(motions.accelerations),
        rows(motions.accelerations),
        rotations(quats),
        rows(motions.spins),
    )


def _impact(
    pair: Pair,
    first: _State,
    second: _State,
    start: Floats,
    untils: Floats,
    gap: float,
    threads: int | None,
    batch: bool,
) -> Impact:
    """Return impacts (n,) of two bodies from their states at `start` (n,) on."""
    n = len(start)
    flights = np.empty((n, FLIGHT_COLUMNS))
    flights[:, F_ROT_A : F_ROT_A + 9] = first.rotation.reshape(-1, 9)
    flights[:, F_ROT_B : F_ROT_B + 9] = second.rotation.reshape(-1, 9)
    flights[:, F_SPIN_A : F_SPIN_A + 3], flights[:, F_SPIN_B : F_SPIN_B + 3] = first.spin, second.spin
    flights[:, F_D : F_D + 3] = second.position - first.position
    flights[:, F_V : F_V + 3] = second.velocity - first.velocity
    flights[:, F_ACC : F_ACC + 3] = second.acceleration - first.acceleration
    extent = np.maximum(*(np.abs(state.position).max(axis=1) for state in (first, second)))
    found = _first_touch(pair, flights, np.ascontiguousarray(untils), extent, gap, threads)
    late = np.flatnonzero(found.searched < found.time)
    if len(late):
        row = int(late[0])
        reached = float(start[row] + found.searched[row])
        which = f" of row {row}" if batch else ""
        raise SearchLimitError(
            f"the search{which} came to the limit of its work at {reached:.12g} s: there is no contact before, and none is "
            "known; ask for a shorter time, or allow a wider gap",
            reached,
            row if batch else None,
        )
    dt = np.where(np.isfinite(found.time), found.time, 0.0)[:, None]
    origin = first.position + dt * (first.velocity + 0.5 * dt * first.acceleration)
    return Impact(
        start + found.time,
        origin + found.point,
        found.normal,
        found.feature_a,
        found.feature_b,
        np.where(np.isfinite(found.time), found.status, -1),
        found.tests[:, 0],
        found.tests[:, 1],
        found.steps,
    )


def _first_touch(
    pair: Pair, flights: Floats, untils: Floats, extent: Floats, gap: float, threads: int | None
) -> Struck:
    """Return contacts of flights that start in overlap, and first contacts of the others. extent (n,): largest coordinates."""
    refuse_unsupported(pair.a, pair.b, flights)
    here = start_overlaps(pair, flights, extent, threads)
    if here is None:
        return strike(pair.a, pair.b, flights, untils, gap, threads)
    n, m = len(flights), len(here.rows)
    rest = np.setdiff1d(np.arange(n), here.rows)
    known = Struck(
        np.zeros(m), here.point, here.normal, here.feature_a, here.feature_b, np.full(m, OVERLAPPING),
        np.tile(np.array([0, 1]), (m, 1)), np.zeros(m, np.int64), np.full(m, np.inf),
    )  # fmt: skip
    if not len(rest):
        return known
    return joined([(here.rows, known), (rest, strike(pair.a, pair.b, flights[rest], untils[rest], gap, threads))])


def _along_keys(pair: Pair, motion_a: Moving, motion_b: Moving, until: float, gap: float) -> Impact | None:
    """Search piece by piece between the keys of either."""
    for name, motion in (("motion_a", motion_a), ("motion_b", motion_b)):
        if not isinstance(motion, Motion | Keyframes):
            raise InvalidInputError(
                f"{name} is {validate.shown(motion)}; expected a carom.Motion or Keyframes beside Keyframes"
            )
    given = [m.start for m in (motion_a, motion_b) if isinstance(m, Motion)]
    begin = max(given) if given else min(m.times[0] for m in (motion_a, motion_b) if isinstance(m, Keyframes))
    pieces_a, pieces_b = _pieces(motion_a, begin), _pieces(motion_b, begin)
    if until < begin:
        raise InvalidInputError(f"until is {until}; expected a time not before the start of the motions, {begin}")
    cuts = sorted({begin, until, *(p.start for p in (*pieces_a, *pieces_b) if begin < p.start < until)})
    for start, end in pairwise(cuts) if len(cuts) > 1 else ((begin, begin),):
        one = [p for p in pieces_a if p.start <= start][-1]
        other = [p for p in pieces_b if p.start <= start][-1]
        at = np.array([start])
        found = single(
            _impact(
                pair,
                _states(Motions.of([one]), at),
                _states(Motions.of([other]), at),
                at,
                np.array([end - start]),
                gap,
                1,
                False,
            )
        )
        if np.isfinite(found.time):
            return found
    return None


def _pieces(motion: Moving, begin: float) -> list[Motion]:
    """Return consecutive motions, each valid from its own start on, the first from `begin` or before."""
    if isinstance(motion, Motion):
        return [motion]
    assert isinstance(motion, Keyframes)
    rest = Motion(motion.positions[0], orientation=motion.orientations[0], start=min(begin, float(motion.times[0])))
    return [rest, *motion.pieces()]
