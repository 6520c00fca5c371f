"""Random shapes and motions, as calls: ordinary ones, thin ones, degenerate ones, and ones on a grid that touch exactly."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from fuzz.cases.calls import Call

Generator = np.random.Generator

SOLIDS = ("Sphere", "Box", "Capsule", "Cylinder", "Cone", "Ellipsoid", "Convex")
SHAPES = (*SOLIDS, "Mesh", "HalfSpace", "Compound")
WORLD_SHAPES = (*SOLIDS, "Mesh")

_BOX_CORNERS = [[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)]
_BOX_FACES = [
    [0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1],
    [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3],
]  # fmt: skip
_EIGHTHS = 8.0


def pick(rng: Generator, choices: Any) -> Any:
    """One of the choices."""
    return choices[int(rng.integers(len(choices)))]


def scale_of(rng: Generator) -> float:
    """1, or now and then anything from 1e-6 to 1e6."""
    return 1.0 if rng.random() < 0.7 else float(10.0 ** rng.uniform(-6.0, 6.0))


def quaternion(rng: Generator) -> list[float]:
    """A random orientation; now and then a right angle about an axis."""
    if rng.random() < 0.2:
        return pick(rng, [[1.0, 0.0, 0.0, 0.0], [1.0, 1.0, 0.0, 0.0], [1.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]])
    q = rng.normal(size=4)
    return (q / np.linalg.norm(q)).tolist()


def vector(rng: Generator, scale: float) -> list[float]:
    """A normal random vector (3,)."""
    return (rng.normal(size=3) * scale).tolist()


def gridded(values: Any, scale: float) -> list[Any]:
    """Numbers moved to the eighths of a scale."""
    return (np.round(np.asarray(values) / scale * _EIGHTHS) / _EIGHTHS * scale).tolist()


def two_kinds(rng: np.random.Generator) -> list[str]:
    """Two kinds of shapes that may be tested against each other: not two half-spaces."""
    kinds = [pick(rng, SHAPES), pick(rng, SHAPES)]
    return ["Box", "HalfSpace"] if kinds == ["HalfSpace", "HalfSpace"] else kinds


def shape(rng: Generator, kind: str, scale: float, grid: bool = False) -> Call:
    """A random shape of about the size `scale`."""

    def size(low: float = 0.2, high: float = 1.2) -> float:
        value = scale * rng.uniform(low, high)
        return gridded([max(value, scale / _EIGHTHS)], scale)[0] if grid else float(value)

    thin = 10.0 ** -float(rng.integers(1, 6)) if rng.random() < 0.3 and not grid else 1.0
    match kind:
        case "Sphere":
            return Call("Sphere", radius=size())
        case "Box":
            extents = [size(), size(), size()]
            for k in rng.choice(3, int(rng.integers(1, 3)), replace=False):
                extents[int(k)] *= thin
            return Call("Box", extents=extents)
        case "Capsule" | "Cylinder" | "Cone":
            radius, height = size(0.1, 0.6), size()
            flat = rng.random() < 0.5
            return Call(kind, radius=radius * (1.0 if flat else thin), height=height * (thin if flat else 1.0))
        case "Ellipsoid":
            radii = [size(0.1, 0.6)] * 3 if rng.random() < 0.1 else [size(0.1, 0.6) for _ in range(3)]
            for k in rng.choice(3, int(rng.integers(1, 3)), replace=False):
                radii[int(k)] *= thin
            return Call("Ellipsoid", radii=radii)
        case "Convex":
            points = rng.normal(size=(int(rng.integers(4, 14)), 3)) * 0.5 * scale
            points[:, : int(rng.integers(1, 3))] *= max(thin, 1e-3)
            return Call("Convex", points=points.tolist())
        case "Mesh":
            return _mesh(rng, scale)
        case "HalfSpace":
            normal = np.eye(3)[rng.integers(3)] * pick(rng, (-1.0, 1.0)) if rng.random() < 0.4 else rng.normal(size=3)
            return Call("HalfSpace", normal=normal.tolist(), offset=0.0 if rng.random() < 0.5 else size(-1.0, 1.0))
        case "Compound":
            kinds = [pick(rng, WORLD_SHAPES) for _ in range(int(rng.integers(1, 4)))]
            return Call("Compound", pieces=[(shape(rng, k, 0.7 * scale), pose(rng, 0.4 * scale)) for k in kinds])
    raise ValueError(kind)


def _mesh(rng: Generator, scale: float) -> Call:
    def surface(vertices: Any, faces: Any) -> Call:
        return Call("Mesh", vertices=np.asarray(vertices, float).tolist(), faces=np.asarray(faces).tolist())

    match int(rng.integers(5)):
        case 0:  # a soup of triangles
            vertices = rng.normal(size=(int(rng.integers(3, 13)), 3)) * 0.5 * scale
            faces = [rng.choice(len(vertices), 3, replace=False) for _ in range(int(rng.integers(1, 9)))]
            return surface(vertices, faces)
        case 1:  # triangles without area, corners used twice, corners at the same place
            vertices = np.round(rng.normal(size=(8, 3)) * 2.0) / 4.0 * scale
            return surface(vertices, rng.integers(0, 8, size=(int(rng.integers(1, 8)), 3)))
        case 2:  # a flat grid
            vertices = (np.array([[x, y, 0.0] for x in range(3) for y in range(3)]) - (1, 1, 0)) * 0.4 * scale
            corners = (0, 1, 3, 4)
            return surface(vertices, [f for c in corners for f in ([c, c + 1, c + 3], [c + 1, c + 4, c + 3])])
        case 3:  # collinear corners that differ
            along = np.outer(rng.uniform(-1.0, 1.0, 3), rng.normal(size=3)) * 0.5 * scale
            return surface(along, [[0, 1, 2]])
    return surface(np.array(_BOX_CORNERS) * rng.uniform(0.3, 1.2, 3) * scale, _BOX_FACES)


def pose(rng: Generator, spread: float) -> list[list[float]]:
    """A random pose (4, 4)."""
    placed = np.eye(4)
    q, r = np.linalg.qr(rng.normal(size=(3, 3)))
    q *= np.sign(np.diag(r))
    if np.linalg.det(q) < 0.0:
        q[:, 0] *= -1.0
    placed[:3, :3] = q
    placed[:3, 3] = rng.normal(size=3) * spread
    return placed.tolist()


def one_ulp_apart(rng: Generator, value: float) -> float:
    """The value, or a neighbour of it."""
    return float(np.nextafter(value, pick(rng, (-math.inf, value, math.inf))))


def motion(
    rng: Generator, place: list[float], scale: float, *, spins: bool, pushed: bool, start: float, grid: bool = False
) -> Call:
    """A random motion from `place` at `start` on."""
    arguments: dict[str, Any] = {"position": place}
    velocity = vector(rng, scale * pick(rng, (0.0, 0.3, 1.0, 3.0)))
    arguments["velocity"] = gridded(velocity, scale) if grid else velocity
    if pushed:
        arguments["acceleration"] = vector(rng, scale)
    if not grid:
        arguments["orientation"] = quaternion(rng)
    if spins:
        arguments["spin"] = vector(rng, pick(rng, (0.1, 2.0, 10.0)))
    if start != 0.0:
        arguments["start"] = start
    return Call("Motion", **arguments)


def keyframes(
    rng: Generator, place: list[float], scale: float, *, turns: bool, start: float, grid: bool = False
) -> Call:
    """A random way along keys that begins near `place`, around `start`; some keys keep the motion, some stand still."""
    n = int(rng.integers(2, 6))
    times = start + np.cumsum(rng.uniform(0.1, 1.2, n)) - pick(rng, (0.0, 0.5))
    steps = rng.normal(size=(n, 3)) * 0.8 * scale
    steps[rng.random(n) < 0.2] = 0.0
    places = np.asarray(place) + np.cumsum(steps, axis=0)
    arguments = {"times": times.tolist(), "positions": gridded(places, scale) if grid else places.tolist()}
    if turns:
        arguments["orientations"] = [quaternion(rng) for _ in range(n)]
    return Call("Keyframes", **arguments)
