"""First contacts of two shapes in flight: selection of the search by shapes and motions.

A flight is a row of FLIGHT_COLUMNS (carom.narrow.toi.advancement.scratch): rotations and spins of both bodies, offset, velocity
and acceleration of b's origin from a's, world axes, at its own epoch. Spheres, boxes, convex hulls, meshes and half-spaces that
do not turn are searched exactly; everything else by conservative advancement.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary, finalize

import numpy as np
from numpy.typing import NDArray

from carom.errors import UnsupportedMotionError
from carom.maths.fixed_order import dot, product
from carom.maths.roots import enter_quadratic
from carom.maths.rotations import composed, turned, turned_back
from carom.narrow.convex.convex_pair import convex_collide, convex_penetration
from carom.narrow.convex.support_points import farthest_points
from carom.narrow.toi.advancement.convex_convex import core_impacts
from carom.narrow.toi.advancement.convex_half_space import core_plane_impacts
from carom.narrow.toi.advancement.convex_surface import SURFACE_TESTS, SURFACE_TRIANGLE, core_surface_impacts
from carom.narrow.toi.advancement.core_space import CORE_NORMAL, CORE_POINT, CORE_STATUS, CORE_STEPS, CORE_TIME
from carom.narrow.toi.advancement.scratch import F_ACC, F_D, F_ROT_A, F_ROT_B, F_SPIN_A, F_SPIN_B, F_V
from carom.narrow.toi.status import CONSERVATIVE, EXACT, NOT_YET, OVERLAPPING, STACK_FULL
from carom.narrow.toi.straight.flights import straight_impacts
from carom.narrow.toi.turning_flights import turning_impacts
from carom.queries.pairs.pair import pieces_of
from carom.shapes import Compound, Family, HalfSpace, Mesh, Shape, ShapeKind
from carom.shapes.parts.cores import points_core
from carom.shapes.shape import core_of
from carom.tolerances import REPEAT_SLACK
from carom.trees.face_rows import faces_of
from carom.trees.obb.tree import tree_of

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Struck(NamedTuple):
    """First contacts of n flights: time (n,) since the epoch, inf without contact; point (n, 3) from a's origin and normal
    (n, 3), world axes; features (n,); status (n,); tests (n, 2) of volumes and primitives; steps (n,) of advancement;
    searched (n,): time up to which there is certainly no other contact, inf unless a search reached its limit of work."""

    time: Floats
    point: Floats
    normal: Floats
    feature_a: Ints
    feature_b: Ints
    status: Ints
    tests: Ints
    steps: Ints
    searched: Floats


def strike(a: Shape, b: Shape, flights: Floats, untils: Floats, gap: float, threads: int | None) -> Struck:
    """Return the first contact of each flight (n, FLIGHT_COLUMNS) within untils (n,) seconds; for compounds that of any pieces.

    Each flight has its own search: one without rotation is searched exactly, also among others with rotation.
    """
    turning = flights[:, F_SPIN_A : F_SPIN_B + 3].any(axis=1)
    if turning.all() or not turning.any():
        return _strike_alike(a, b, flights, untils, gap, bool(turning.any()), threads)
    parts = [
        (rows, _strike_alike(a, b, flights[rows], untils[rows], gap, turns, threads))
        for turns, rows in ((False, np.flatnonzero(~turning)), (True, np.flatnonzero(turning)))
    ]
    return joined(parts)


def joined(parts: Sequence[tuple[Ints, Struck]]) -> Struck:
    """Return the answers of all flights in order, from those of the given rows."""
    order = np.argsort(np.concatenate([rows for rows, _ in parts]))
    columns = zip(*(answers for _, answers in parts), strict=True)
    return Struck(*(np.concatenate(column)[order] for column in columns))


def _strike_alike(
    a: Shape, b: Shape, flights: Floats, untils: Floats, gap: float, turning: bool, threads: int | None
) -> Struck:
    """As strike, for flights that all turn or all do not."""
    if turning:
        untils = np.minimum(untils, _periods(a, b, flights) * (1.0 + REPEAT_SLACK))
    best = None
    for i, (piece_a, pose_a) in enumerate(pieces_of(a)):
        for j, (piece_b, pose_b) in enumerate(pieces_of(b)):
            limits = untils if best is None else np.minimum(untils, best.time)
            found = _strike_pieces(piece_a, pose_a, piece_b, pose_b, flights, limits, gap, turning, threads)
            hit = np.isfinite(found.time)
            if isinstance(a, Compound):
                found = found._replace(feature_a=np.where(hit, i, -1))
            if isinstance(b, Compound):
                found = found._replace(feature_b=np.where(hit, j, -1))
            best = found if best is None else _earlier(best, found)
    assert best is not None
    return best


def refuse_unsupported(a: Shape, b: Shape, flights: Floats) -> None:
    """Raise UnsupportedMotionError if a half-space that cannot spin does, in one of the flights."""
    spins = [bool(flights[:, at : at + 3].any()) for at in (F_SPIN_A, F_SPIN_B)]
    if not any(spins):
        return
    for piece_a, pose_a in pieces_of(a):
        for piece_b, pose_b in pieces_of(b):
            turns = any(isinstance(p, HalfSpace) and spin for p, spin in zip((piece_a, piece_b), spins, strict=True))
            if turns and not _turn_as_wholes(piece_a, pose_a, piece_b, pose_b):
                raise UnsupportedMotionError(
                    "a half-space that spins meets only spheres, boxes, convex hulls and meshes"
                )


def _has_exact_test(shape: Shape) -> bool:
    """Do straight flights of the shape have an exact test, and spinning ones a search of their own?"""
    return shape.kind != ShapeKind.ROUND


def _turn_as_wholes(a: Shape, pose_a: Floats, b: Shape, pose_b: Floats) -> bool:
    """Return whether the searches of turning bodies take these pieces: spheres or not round, and posed as their bodies."""
    whole = np.array_equal(pose_a, np.eye(4)) and np.array_equal(pose_b, np.eye(4))
    return whole and _has_exact_test(a) and _has_exact_test(b)


def _earlier(one: Struck, other: Struck) -> Struck:
    """Return the earlier of two contacts of each flight; work adds up."""
    first = other.time < one.time
    columns: list[NDArray[Any]] = [
        np.where(first[:, None] if x.ndim == 2 else first, y, x) for x, y in zip(one, other, strict=True)
    ]
    return Struck(*columns)._replace(
        tests=one.tests + other.tests, steps=one.steps + other.steps, searched=np.minimum(one.searched, other.searched)
    )


def _periods(a: Shape, b: Shape, flights: Floats) -> Floats:
    """Return the seconds (n,) after which a flight repeats itself, inf if it does not.

    Bodies turn about their own origins. A flight repeats if these are at rest relative to each other, or move along a half-
    space of constant direction, and one body turns or both do at one rate. A sphere has no orientation.
    """
    rates = [
        np.linalg.norm(flights[:, spin : spin + 3], axis=1) if shape.oriented else np.zeros(len(flights))
        for shape, spin in ((a, F_SPIN_A), (b, F_SPIN_B))
    ]
    still = ~flights[:, F_V : F_ACC + 3].any(axis=1)
    for shape, rot, rate in ((a, F_ROT_A, rates[0]), (b, F_ROT_B, rates[1])):
        if isinstance(shape, HalfSpace):
            normal = turned(flights[:, rot : rot + 9], np.asarray(shape.normal))
            across = [(flights[:, at : at + 3] * normal).sum(axis=1) for at in (F_V, F_ACC)]
            still |= (rate == 0.0) & (across[0] == 0.0) & (across[1] == 0.0)
    fastest = np.maximum(*rates)
    repeats = still & (fastest > 0.0) & ((np.minimum(*rates) == 0.0) | (rates[0] == rates[1]))
    return np.divide(2.0 * np.pi, fastest, out=np.full(len(flights), np.inf), where=repeats)


def _strike_pieces(
    a: Shape, pose_a: Floats, b: Shape, pose_b: Floats, flights: Floats, untils: Floats, gap: float, turning: bool,
    threads: int | None,
) -> Struck:  # fmt: skip
    if not turning:
        straight, origin = _folded(flights, pose_a, pose_b)
        if _has_exact_test(a) and _has_exact_test(b):
            found = _strike_exactly(a, b, straight, untils, threads)
        elif isinstance(a, HalfSpace):
            found = _strike_plane(a, b, straight, untils)
        elif isinstance(b, HalfSpace):
            found = _exchanged(_strike_plane(b, a, _seen_from_b(straight), untils), straight)
        else:
            found = _advance(a, np.eye(4), b, np.eye(4), straight, untils, gap, threads)
        return found._replace(point=found.point + origin)
    if _turn_as_wholes(a, pose_a, b, pose_b):
        return _strike_turning(a, b, flights, untils, gap, threads)
    return _advance(a, pose_a, b, pose_b, flights, untils, gap, threads)


def _folded(flights: Floats, pose_a: Floats, pose_b: Floats) -> tuple[Floats, Floats]:
    """Return flights of pieces that do not turn, about their own origins, and offsets (n, 3) of piece a from its body."""
    straight = flights.copy()
    rot_a, rot_b = flights[:, F_ROT_A : F_ROT_A + 9], flights[:, F_ROT_B : F_ROT_B + 9]
    straight[:, F_ROT_A : F_ROT_A + 9] = composed(rot_a, pose_a[:3, :3]).reshape(-1, 9)
    straight[:, F_ROT_B : F_ROT_B + 9] = composed(rot_b, pose_b[:3, :3]).reshape(-1, 9)
    origin = turned(rot_a, pose_a[:3, 3])
    straight[:, F_D : F_D + 3] += turned(rot_b, pose_b[:3, 3]) - origin
    return straight, origin


def _strike_exactly(a: Shape, b: Shape, flights: Floats, untils: Floats, threads: int | None) -> Struck:
    quats = np.empty((2 * len(flights), 4))
    quats[0::2] = quaternions_of(flights[:, F_ROT_A : F_ROT_A + 9])
    quats[1::2] = quaternions_of(flights[:, F_ROT_B : F_ROT_B + 9])
    time, out = straight_impacts(
        a,
        b,
        quats,
        flights[:, F_D : F_D + 3],
        flights[:, F_V : F_V + 3],
        flights[:, F_ACC : F_ACC + 3],
        untils,
        threads,
    )
    ints = out[:, 6:10].astype(np.int64)
    time, searched = _settled(time, ints[:, 2], untils)
    hit = np.isfinite(time)[:, None]
    tests = np.column_stack((np.zeros(len(time), np.int64), ints[:, 3]))
    return Struck(
        time, np.where(hit, out[:, 0:3], np.nan), np.where(hit, out[:, 3:6], np.nan), ints[:, 0], ints[:, 1], ints[:, 2],
        tests, np.zeros(len(time), np.int64), searched,
    )  # fmt: skip


def _strike_plane(a: HalfSpace, b: Shape, flights: Floats, untils: Floats) -> Struck:
    """Half-space a and round shape b that do not turn: the lowest point of b follows one parabola, exactly."""
    n = len(flights)
    normal = turned(flights[:, F_ROT_A : F_ROT_A + 9], np.asarray(a.normal))
    rot_b = flights[:, F_ROT_B : F_ROT_B + 9]
    points, _ = farthest_points(core_of(b), turned_back(rot_b, -normal))
    lowest = turned(rot_b, points)
    height = (normal * (flights[:, F_D : F_D + 3] + lowest)).sum(axis=1) - a.offset
    rate = (normal * flights[:, F_V : F_V + 3]).sum(axis=1)
    pull = 0.5 * (normal * flights[:, F_ACC : F_ACC + 3]).sum(axis=1)
    time = np.array([enter_quadratic(*row, 0.0) for row in zip(height, rate, pull, strict=True)]) if n else np.empty(0)
    time[time > untils] = np.inf
    hit = np.isfinite(time)
    t = np.where(hit, time, 0.0)[:, None]
    path = flights[:, F_D : F_D + 3] + t * (flights[:, F_V : F_V + 3] + 0.5 * t * flights[:, F_ACC : F_ACC + 3])
    none, deep = np.full(n, -1), height < -1e-9 * np.abs(lowest).max(axis=1)
    return Struck(
        time,
        np.where(hit[:, None], path + lowest, np.nan),
        np.where(hit[:, None], normal, np.nan),
        none,
        none,
        np.where(deep & (time == 0.0), OVERLAPPING, EXACT),
        np.tile(np.array([0, 1]), (n, 1)),
        np.zeros(n, np.int64),
        np.full(n, np.inf),
    )


def _advance(
    a: Shape, pose_a: Floats, b: Shape, pose_b: Floats, flights: Floats, untils: Floats, gap: float, threads: int | None
) -> Struck:
    """Conservative advancement of two pieces posed in their bodies."""
    families = (a.family, b.family)
    if families == (Family.SURFACE, Family.SURFACE):
        return _strike_turning(placed_mesh(a, pose_a), placed_mesh(b, pose_b), flights, untils, gap, threads)
    if families == (Family.SURFACE, Family.CONVEX) or a.family is Family.HALF_SPACE:
        return _exchanged(_advance(b, pose_b, a, pose_a, _seen_from_b(flights), untils, gap, threads), flights)
    if b.family is Family.SURFACE:
        mesh = placed_mesh(b, pose_b)
        found = core_surface_impacts(
            core_of(a), tree_of(mesh), _locals(pose_a, np.eye(4)), flights, untils, gap, threads
        )
        triangle = found[:, SURFACE_TRIANGLE].astype(np.int64)
        tests = found[:, SURFACE_TESTS : SURFACE_TESTS + 2].astype(np.int64)
        return _struck(found, untils, np.full(len(found), -1), faces_of(tree_of(mesh).face, triangle), tests)
    if isinstance(b, HalfSpace):
        up = dot(pose_b[:3, :3], b.normal)
        normals = turned(flights[:, F_ROT_B : F_ROT_B + 9], up)
        level = b.offset + float(dot(pose_b[:3, 3], up))
        placing = _locals(pose_a, np.eye(4))
        found = core_plane_impacts(_solid_core(a), normals, level, placing, flights, untils, gap, threads)
    else:
        core_a, core_b = core_of(a), core_of(b)
        inside = _overlap_normals(core_a, pose_a, core_b, pose_b, flights, threads)
        found = core_impacts(core_a, core_b, _locals(pose_a, pose_b), flights, inside, untils, gap, threads)
    none = np.full(len(found), -1)
    return _struck(found, untils, none, none, np.tile(np.array([0, 1]), (len(found), 1)))


def _strike_turning(a: Shape, b: Shape, flights: Floats, untils: Floats, gap: float, threads: int | None) -> Struck:
    if a.kind > b.kind:
        return _exchanged(_strike_turning(b, a, _seen_from_b(flights), untils, gap, threads), flights)
    found = turning_impacts(a, b, flights, untils, gap, threads)
    time, searched = _settled(found.time, found.status, untils)
    hit = np.isfinite(time)[:, None]
    return Struck(
        time,
        np.where(hit, found.point, np.nan),
        np.where(hit, found.normal, np.nan),
        np.where(hit[:, 0], found.faces[:, 0], -1),
        np.where(hit[:, 0], found.faces[:, 1], -1),
        found.status,
        found.counts[:, :2],
        found.counts[:, 2],
        searched,
    )


def _overlap_normals(
    core_a: Floats, pose_a: Floats, core_b: Floats, pose_b: Floats, flights: Floats, threads: int | None
) -> Floats:
    """Return world directions (n, 3) of least penetration of flights that start in overlap; zero for the others."""
    rot_a, rot_b = flights[:, F_ROT_A : F_ROT_A + 9], flights[:, F_ROT_B : F_ROT_B + 9]
    first, second = composed(rot_a, pose_a[:3, :3]), composed(rot_b, pose_b[:3, :3])
    offset = flights[:, F_D : F_D + 3] + turned(rot_b, pose_b[:3, 3]) - turned(rot_a, pose_a[:3, 3])
    back = first.transpose(0, 2, 1)
    rots, shifts = composed(back, second).reshape(-1, 9), turned(back, offset)
    normals = np.zeros((len(flights), 3))
    deep = np.flatnonzero(convex_collide(core_a, core_b, rots, shifts, threads))
    if len(deep):
        found = convex_penetration(core_a, core_b, rots[deep], shifts[deep], threads)
        normals[deep] = turned(first[deep], found.normal)
    return normals


def _settled(time: Floats, status: Floats | Ints, untils: Floats) -> tuple[Floats, Floats]:
    """Return times of contact, inf if a search ended without one, and the times up to which these are complete."""
    undecided = (status == NOT_YET) | (status == STACK_FULL)
    return np.where(undecided, np.inf, time), np.where(undecided & (time < untils), time, np.inf)


def _struck(found: Floats, untils: Floats, feature_a: Ints, feature_b: Ints, tests: Ints) -> Struck:
    time, searched = _settled(found[:, CORE_TIME], found[:, CORE_STATUS], untils)
    hit = np.isfinite(time)[:, None]
    return Struck(
        time,
        np.where(hit, found[:, CORE_POINT : CORE_POINT + 3], np.nan),
        np.where(hit, found[:, CORE_NORMAL : CORE_NORMAL + 3], np.nan),
        feature_a,
        feature_b,
        np.where(hit[:, 0], found[:, CORE_STATUS], CONSERVATIVE).astype(np.int64),
        tests,
        found[:, CORE_STEPS].astype(np.int64),
        searched,
    )


def _locals(pose_a: Floats, pose_b: Floats) -> Floats:
    """Return two poses (4, 4) as the 24 numbers that kernels take."""
    return np.concatenate([part for p in (pose_a, pose_b) for part in (p[:3, :3].ravel(), p[:3, 3])])


def _solid_core(shape: Shape) -> Floats:
    """Return the core of a convex piece; a mesh against a half-space counts by its corners."""
    if isinstance(shape, Mesh):
        return points_core(shape.vertices[shape.hull_vertices])
    return core_of(shape)


def _seen_from_b(flights: Floats) -> Floats:
    """Return the same flights with the bodies exchanged."""
    out = np.empty_like(flights)
    out[:, F_ROT_A : F_ROT_A + 9], out[:, F_ROT_B : F_ROT_B + 9] = (
        flights[:, F_ROT_B : F_ROT_B + 9],
        flights[:, F_ROT_A : F_ROT_A + 9],
    )
    out[:, F_SPIN_A : F_SPIN_A + 3], out[:, F_SPIN_B : F_SPIN_B + 3] = (
        flights[:, F_SPIN_B : F_SPIN_B + 3],
        flights[:, F_SPIN_A : F_SPIN_A + 3],
    )
    out[:, F_D : F_ACC + 3] = -flights[:, F_D : F_ACC + 3]
    return out


def _exchanged(found: Struck, flights: Floats) -> Struck:
    """Convert an answer for exchanged bodies: points from a's origin, normals from a to b."""
    t = np.where(np.isfinite(found.time), found.time, 0.0)[:, None]
    offset = flights[:, F_D : F_D + 3] + t * (flights[:, F_V : F_V + 3] + 0.5 * t * flights[:, F_ACC : F_ACC + 3])
    return found._replace(
        point=found.point + offset, normal=-found.normal, feature_a=found.feature_b, feature_b=found.feature_a
    )


_placed_meshes: WeakKeyDictionary[Mesh, dict[bytes, Mesh]] = WeakKeyDictionary()


def placed_mesh(mesh: Shape, pose: Floats) -> Mesh:
    """The mesh with its vertices in the frame of its body, made once for each pose and kept as long as that array."""
    assert isinstance(mesh, Mesh)
    if np.array_equal(pose, np.eye(4)):
        return mesh
    known = _placed_meshes.setdefault(mesh, {})
    key = pose.tobytes()
    if key not in known:
        known[key] = Mesh(product(mesh.vertices, pose[:3, :3].T) + pose[:3, 3], mesh.faces)
        finalize(pose, known.pop, key, None).atexit = False
    return known[key]


def quaternions_of(rots: Floats) -> Floats:
    """Return unit quaternions (n, 4) w, x, y, z of rotations (n, 9) by rows, largest component first, without cancellation."""
    m = rots.reshape(-1, 3, 3)
    x, y, z = m[:, 0, 0], m[:, 1, 1], m[:, 2, 2]
    four = np.stack((1 + x + y + z, 1 + x - y - z, 1 - x + y - z, 1 - x - y + z), axis=1)
    rows = np.empty((len(m), 4, 4))
    rows[:, 0] = np.stack(
        (four[:, 0], m[:, 2, 1] - m[:, 1, 2], m[:, 0, 2] - m[:, 2, 0], m[:, 1, 0] - m[:, 0, 1]), axis=1
    )
    rows[:, 1] = np.stack((rows[:, 0, 1], four[:, 1], m[:, 0, 1] + m[:, 1, 0], m[:, 0, 2] + m[:, 2, 0]), axis=1)
    rows[:, 2] = np.stack((rows[:, 0, 2], rows[:, 1, 2], four[:, 2], m[:, 1, 2] + m[:, 2, 1]), axis=1)
    rows[:, 3] = np.stack((rows[:, 0, 3], rows[:, 1, 3], rows[:, 2, 3], four[:, 3]), axis=1)
    best = rows[np.arange(len(m)), four.argmax(axis=1)]
    return np.asarray(best / np.sqrt((best * best).sum(axis=1))[:, None])
