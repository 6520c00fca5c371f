"""Questions about a pair at an instant: distance, collision, penetration, gap, rays, batches, trackers; every pairing."""

from __future__ import annotations

from typing import Any

import numpy as np

import carom
from fuzz.cases.calls import made, source
from fuzz.cases.generate import gridded, one_ulp_apart, pick, pose, scale_of, shape, two_kinds
from fuzz.failure import check_case
from fuzz.oracle.convex import CYLINDER, ELLIPSOID, HALF_SPACE, POINTS, bounds
from fuzz.oracle.pieces import Pieces, hull, pieces_of, reach

_DIRECTIONS = 64
_DISTANCE_GAP = 1e-12
"""Relative width of the bounds at which the search for the distance of convex shapes ends."""


def cases(seed: int) -> None:
    """Run one random case."""
    check_case(seed, random_case, _fault, script)


def random_case(rng: np.random.Generator) -> dict[str, Any]:
    scale, grid = scale_of(rng), rng.random() < 0.25
    kinds = two_kinds(rng)
    far = np.zeros(3) if rng.random() < 0.8 else rng.normal(size=3) * scale * 1e4
    a = shape(rng, kinds[0], scale, grid)
    b = shape(rng, kinds[1], scale * pick(rng, (0.05, 1.0, 1.0)), grid)
    if kinds[0] == kinds[1] == "Sphere":
        b.arguments["radius"] = one_ulp_apart(rng, a["radius"])
    poses = [_pose(rng, scale, far, grid) for _ in range(4)]
    return {
        "a": a, "b": b, "pose_a": poses[0], "poses_b": poses[1:],
        "origin": (far + rng.normal(size=3) * 2.0 * scale).tolist(), "aim": (far + rng.normal(size=3) * 0.5 * scale).tolist(),
    }  # fmt: skip


def _pose(rng: np.random.Generator, scale: float, far: np.ndarray, grid: bool) -> list[list[float]]:
    placed = np.array(pose(rng, pick(rng, (0.0, 0.5, 1.0, 3.0)) * scale))
    if grid:
        placed[:3, :3] = np.round(np.linalg.qr(np.eye(3)[rng.permutation(3)])[0])
        if np.linalg.det(placed[:3, :3]) < 0.0:
            placed[:3, :3] *= -1.0
        placed[:3, 3] = gridded(placed[:3, 3], scale)
    placed[:3, 3] += far
    return placed.tolist()


def script(case: dict[str, Any]) -> str:
    names = ("a", "b", "pose_a", "poses_b", "origin", "aim")
    return (
        "import numpy as np\n\nimport carom\n\n"
        + "".join(f"{name} = {source(case[name])}\n" for name in names)
        + "for pose_b in poses_b:\n"
        "    print(carom.distance(a, b, pose_a, pose_b))\n"
        "    print(carom.collide(a, b, pose_a, pose_b))\n"
        "    print(carom.penetration(a, b, pose_a, pose_b))\n"
        "print(carom.distance(a, b, pose_a, poses_b).distance, carom.penetration(a, b, pose_a, poses_b).depth)\n"
        "print(carom.ray_cast(a, origin, np.subtract(aim, origin), pose_a))\n"
    )


def _fault(case: dict[str, Any]) -> str | None:
    a, b = made(case["a"]), made(case["b"])
    if not case["poses_b"]:
        return None
    here, there = _rigid(case["pose_a"]), np.array([_rigid(placed) for placed in case["poses_b"]])
    first, second = pieces_of(a), pieces_of(b)
    for placed in there:
        wrong = _wrong_at(a, b, first, second, here, placed)
        if wrong is not None:
            return wrong
    return _wrong_batch(a, b, here, there) or _wrong_tracker(a, b, here, there) or _wrong_ray(a, first, case)


def _rigid(placed: Any) -> np.ndarray:
    """The pose with the nearest rotation, which is what a rounded one stands for."""
    rigid = np.array(placed, float)
    u, _, v = np.linalg.svd(rigid[:3, :3])
    rigid[:3, :3] = u @ v
    return rigid


def _bounds(a: Pieces, pose_a: np.ndarray, b: Pieces, pose_b: np.ndarray) -> Any:
    rotation_a, rotation_b = (np.ascontiguousarray(placed[:3, :3]) for placed in (pose_a, pose_b))
    return bounds(a, rotation_a, np.zeros(3), b, rotation_b, pose_b[:3, 3] - pose_a[:3, 3])


def _slack(a: Pieces, pose_a: np.ndarray, b: Pieces, pose_b: np.ndarray) -> float:
    """Length by which rounding may deceive."""
    offsets = [np.abs(p.size[:, 0]).max() for p in (a, b)]
    extent = reach(a) + reach(b) + sum(offsets) + float(np.abs(pose_a[:3, 3]).max() + np.abs(pose_b[:3, 3]).max())
    return 1e-12 * extent


def _is_off(point: np.ndarray, body: Pieces, placed: np.ndarray, tolerance: float) -> bool:
    at = np.eye(4)
    at[:3, 3] = point
    return bool(_bounds(body, placed, hull(np.zeros(3)), at)[0] > tolerance)


def _wrong_at(a: Any, b: Any, first: Pieces, second: Pieces, here: np.ndarray, there: np.ndarray) -> str | None:
    lower, upper, depth, _ = _bounds(first, here, second, there)
    slack = _slack(first, here, second, there)
    near = carom.distance(a, b, here, there)
    if not lower - slack <= near.distance <= upper + slack + _DISTANCE_GAP * upper:
        return f"distance: {near.distance!r} is not between {lower!r} and {upper!r}"
    if near.distance > 0.0:
        loose = 10.0 * slack + 1e-9 * near.distance
        if _is_off(near.point_a, first, here, loose) or _is_off(near.point_b, second, there, loose):
            return f"points: {near.point_a} or {near.point_b} is off its body"
        if abs(float(np.linalg.norm(near.point_b - near.point_a)) - near.distance) > loose:
            return f"points: {near.point_a} and {near.point_b} are not {near.distance!r} apart"
    hit = carom.collide(a, b, here, there)
    if (hit.hit and lower > slack) or (not hit.hit and depth > slack):
        return f"collide: {hit.hit}, but the distance is {lower:.3g} or more, the depth {depth:.3g} or more"
    back = carom.distance(b, a, there, here).distance
    if abs(back - near.distance) > slack + 1e-9 * near.distance:
        return f"swapped: distance {near.distance!r} against {back!r}"
    for share in (0.5, 0.999, 1.001, 2.0):
        size = share * near.distance + (slack if share > 1.0 else -slack)
        if size > 0.0 and carom.gap(a, b, size, here, there) != (share < 1.0):
            return f"gap: {share < 1.0} expected for {size!r}, the distance is {near.distance!r}"
    return _wrong_depth(carom.penetration(a, b, here, there), first, here, second, there, slack)


def _wrong_depth(
    deep: Any, first: Pieces, here: np.ndarray, second: Pieces, there: np.ndarray, slack: float
) -> str | None:
    lower, _, depth, _ = _bounds(first, here, second, there)
    if deep.depth < depth - slack - 2e-6 * depth and len(first.kind) == len(second.kind) == 1:
        return f"penetration: depth {deep.depth!r}, but it is {depth!r} or more"
    if deep.depth > 0.0:
        if lower > slack:
            return f"penetration: depth {deep.depth!r}, but the shapes are {lower:.3g} apart"
        parted = there.copy()
        parted[:3, 3] += deep.depth * deep.normal
        left = _bounds(first, here, second, parted)[2]
        if left > 10.0 * slack + 2e-6 * deep.depth:
            return f"penetration: after moving by depth * normal the shapes still overlap by {left:.3g}"
        least = _width(first, here, second, there)
        if deep.exact and deep.depth > least * (1.0 + 2e-6) + 10.0 * slack:
            return f"penetration: depth {deep.depth!r} is called exact, but {least!r} is enough"
    return None


def _width(first: Pieces, here: np.ndarray, second: Pieces, there: np.ndarray) -> float:
    """An upper bound on the depth: the overlap along some directions. Of convex shapes without half-spaces; else inf."""
    if len(first.kind) != 1 or len(second.kind) != 1 or HALF_SPACE in (first.kind[0], second.kind[0]):
        return np.inf
    directions = np.random.default_rng(0).normal(size=(_DIRECTIONS, 3))
    directions = np.concatenate([directions, here[:3, :3].T, -here[:3, :3].T, there[:3, :3].T, -there[:3, :3].T])
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    return min(_farthest(first, here, d) + _farthest(second, there, -d) for d in directions)


def _farthest(body: Pieces, placed: np.ndarray, direction: np.ndarray) -> float:
    """Largest coordinate of a convex body along a direction."""
    within = body.rotation[0].T @ (placed[:3, :3].T @ direction)
    start = float(direction @ (placed[:3, :3] @ body.shift[0] + placed[:3, 3]))
    if body.kind[0] == POINTS:
        return start + float((body.points @ (placed[:3, :3].T @ direction)).max() + body.radius[0])
    if body.kind[0] == ELLIPSOID:
        return start + float(np.linalg.norm(body.size[0] * within))
    radius, height, _ = body.size[0]
    across = radius * float(np.hypot(within[0], within[1]))
    up = 0.5 * height * float(within[2])
    return start + (across + abs(up) if body.kind[0] == CYLINDER else max(across - up, up))


def _wrong_batch(a: Any, b: Any, here: np.ndarray, there: np.ndarray) -> str | None:
    """A batch gives what single calls give, bit for bit."""
    many = carom.distance(a, b, here, there).distance, carom.penetration(a, b, here, there).depth
    for k, placed in enumerate(there):
        one = carom.distance(a, b, here, placed).distance, carom.penetration(a, b, here, placed).depth
        for name, batch, single in zip(("distance", "penetration"), many, one, strict=True):
            if batch[k] != single:
                return f"batch: {name} {batch[k]!r} in a batch, {single!r} alone"
    return None


def _wrong_tracker(a: Any, b: Any, here: np.ndarray, there: np.ndarray) -> str | None:
    tracker = carom.Tracker(a, b)
    for placed in there:
        tracked, afresh = tracker.distance(here, placed).distance, carom.distance(a, b, here, placed).distance
        slack = _slack(pieces_of(a), here, pieces_of(b), placed)
        if abs(tracked - afresh) > slack + 1e-9 * afresh:
            return f"tracker: {tracked!r} against {afresh!r}"
    return None


def _wrong_ray(a: Any, first: Pieces, case: dict[str, Any]) -> str | None:
    here, origin = _rigid(case["pose_a"]), np.array(case["origin"])
    way = np.array(case["aim"]) - origin
    length = float(np.linalg.norm(way))
    if length == 0.0:
        return None
    hit = carom.ray_cast(a, origin, way, here)
    segment, at = hull(np.array([np.zeros(3), way * (hit.distance / length if hit.hit else 4.0)])), np.eye(4)
    at[:3, 3] = origin
    slack = _slack(first, here, segment, at)
    if hit.hit and _is_off(hit.point, first, here, 1e3 * slack):
        return f"ray: {hit.point} is off the shape"
    if hit.hit and hit.distance > 0.0:
        segment = hull(np.array([np.zeros(3), way / length * (hit.distance * (1.0 - 1e-6))]))
    depth = _bounds(first, here, segment, at)[2]
    if depth > 1e3 * slack + (2e-6 * hit.distance if hit.hit else 0.0) and not (hit.hit and hit.distance == 0.0):
        return f"ray: {hit.hit} at {hit.distance!r}, but it is inside by {depth:.3g} before"
    return None
