"""Seeded convex pairs for tests: each shape as a core and as the oracle's solid."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from carom.shapes import Cone, Convex, Cylinder, core_of
from carom.shapes.parts import cores
from oracles import exact_convex

Floats = NDArray[np.float64]

KINDS = ("box", "hull4", "hull8", "hull30", "sliver", "plate", "triangle", "segment", "point")
PAIRS = [(first, second) for k, first in enumerate(KINDS) for second in KINDS[k:]]

ROUND = pytest.mark.parametrize(
    ("core", "bottom", "top"), [(core_of(Cylinder(0.5, 1.5)), 0.5, 0.5), (core_of(Cone(0.5, 1.5)), 0.5, 0.0)]
)


def polygons(bottom: float, top: float) -> tuple[Any, Any]:
    """Solids inside and around a round one of ROUND, with polygons for its rims."""
    inner, outer = (exact_convex.rounded(64, bottom, top, 1.5, outside=side) for side in (False, True))
    return inner, outer


def random_pairs(n_shapes: int, n_poses: int, third: tuple[str, str], pairs: Sequence[tuple[str, str]] = PAIRS) -> Any:
    """Parametrise a test by (kinds, seed, n_shapes, n_poses, scale, every): few and many cases, and other scales.

    every: one of so many poses is compared with the oracle.
    """
    few = [pytest.param(kinds, 1, n_shapes, n_poses, 1.0, 1, id="-".join(kinds)) for kinds in pairs]
    many = [
        pytest.param(kinds, 2, 2000, 50, 1.0, 50, id=f"{'-'.join(kinds)}-many", marks=pytest.mark.long)
        for kinds in pairs
    ]
    scaled = [
        pytest.param(kinds, 3, 8, 12, scale, 1, id=f"{'-'.join(kinds)}-{scale:g}")
        for kinds in (("box", "box"), third, ("sliver", "plate"))
        for scale in (1e-6, 1e6)
    ]
    return pytest.mark.parametrize(("kinds", "seed", "n_shapes", "n_poses", "scale", "every"), [*few, *many, *scaled])


def random_cases(
    make: Callable[..., Any],
    kinds: tuple[str, str],
    seed: int,
    n_shapes: int,
    n_poses: int,
    scale: float,
    spread: float,
) -> Iterator[tuple[Any, Any, Any, Any, Floats, Floats]]:
    """Random pairs made by `make`, with poses: first, second, their solids for the oracle, rotations and shifts."""
    rng = np.random.default_rng(seed)
    for _ in range(n_shapes):
        (first, solid_a), (second, solid_b) = (make(kind, rng, scale) for kind in kinds)
        yield first, second, solid_a, solid_b, *poses(rng, n_poses, spread * scale)


def signed_distances(
    solid_a: Any, solid_b: Any, rots: Floats, shifts: Floats, every: int
) -> Iterator[tuple[int, float]]:
    """One of `every` poses, and the signed distance by the oracle."""
    for k in range(0, len(rots), every):
        yield k, exact_convex.signed_distance(solid_a, solid_b.placed(rots[k].reshape(3, 3), shifts[k]))


def shape(kind: str, rng: np.random.Generator, scale: float = 1.0) -> tuple[Floats, exact_convex.Solid]:
    """A random shape of about size `scale`: its core, and the same for the oracle."""
    if kind == "box":
        extents = rng.uniform(0.2, 2.0, 3) * scale
        return cores.box_core(extents), exact_convex.box(extents)
    if kind == "triangle":
        corners = rng.normal(size=(3, 3)) * scale
        return cores.triangle_core(corners), exact_convex.triangle(corners)
    if kind == "segment":
        ends = rng.normal(size=(2, 3)) * scale
        return cores.segment_core(*ends), exact_convex.segment(*ends)
    if kind == "point":
        place = rng.normal(size=3) * scale
        return cores.points_core(place[None]), exact_convex.point(place)
    if kind.startswith("hull"):
        points = rng.normal(size=(int(kind[4:]), 3))
    else:
        points = rng.normal(size=(10, 3)) * ([1.0, 1e-4, 1e-4] if kind == "sliver" else [1.0, 1.0, 1e-6])
    points *= scale
    return core_of(Convex(points)), exact_convex.hull(points)


def poses(rng: np.random.Generator, n: int, spread: float) -> tuple[Floats, Floats]:
    """Random rotations (n, 9) and shifts (n, 3)."""
    return exact_convex.rotations(rng, n), rng.normal(size=(n, 3)) * spread


def swapped(rots: Floats, shifts: Floats) -> tuple[Floats, Floats]:
    """The poses of a in the frame of b."""
    turns = rots.reshape(-1, 3, 3)
    back = np.ascontiguousarray(np.swapaxes(turns, 1, 2))
    return back.reshape(-1, 9), -np.einsum("nij,nj->ni", back, shifts)


def still(n: int = 1) -> Floats:
    """No rotation, n times (n, 9)."""
    return np.tile(np.eye(3).ravel(), (n, 1))
