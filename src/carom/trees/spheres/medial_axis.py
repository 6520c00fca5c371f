"""Spheres about the medial axis of a surface, as candidate centres for tight spheres.

Vertices of the Voronoi diagram of points on the surface lie, if they are inside, near the medial axis (Goldak, Yu, Knight and
Dong 1991). Where points are sparse against the thickness of a part they do not: then points are added where the surface is
nearer than the samples said, and balls that shrink along the normals of patches (Ma, Bae and Choi 2012) fill in what is left.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import Delaunay, QhullError, cKDTree

from carom.maths.fixed_order import length
from carom.maths.normals import standard_normals
from carom.trees.spheres.signed_depth import Surface
from carom.trees.spheres.surface_patches import Patches

Floats = NDArray[np.float64]

_REPAIRS = 1
"""Times that points are added where the samples were too sparse."""
_ALIASED = 0.3
"""Part of a patch's radius by which samples may overrate the distance from the surface."""
_ADDED = 0.5
"""Side of the cells of which each adds at most one point, as part of a patch's radius."""
_JITTER = 1e-4
"""Parts of a patch's radius."""
_SHRINKS = 10
_CELL = 0.6
"""Side of the cells of which each keeps its deepest ball, as part of a patch's radius."""


class Balls(NamedTuple):
    """centres (m, 3) and depths (m,): distance from the surface inside it, negative outside."""

    centres: Floats
    depths: Floats


def medial_balls(patches: Patches, surface: Surface, seed: int) -> Balls:
    """Balls that touch a closed surface from inside, all along it, and the middles of all patches with depth 0.

    An open surface has no inside, so that only the middles are left.
    """
    middles = patches.middles
    on_surface = Balls(middles, np.zeros(len(middles)))
    if not surface.closed or patches.radius == 0.0:
        return on_surface
    inner = _joined([_voronoi_balls(patches, surface, seed), _touching_balls(patches, surface)])
    return _joined([_thinned(inner, _CELL * patches.radius), on_surface])


def _joined(parts: list[Balls]) -> Balls:
    return Balls(np.concatenate([part.centres for part in parts]), np.concatenate([part.depths for part in parts]))


def _voronoi_balls(patches: Patches, surface: Surface, seed: int) -> Balls:
    """Inner vertices of the Voronoi diagram of points on the surface, repaired where it was sampled too sparsely."""
    rng = np.random.default_rng(seed)
    samples = patches.middles
    for repair in range(_REPAIRS + 1):
        # A little beside their places: Qhull takes several times longer for points of which many share a plane or a sphere.
        centres = _voronoi_vertices(samples + _JITTER * patches.radius * standard_normals(rng, *samples.shape))
        distance, nearest = surface.nearest(centres)
        if repair < _REPAIRS:
            claimed, _ = cKDTree(samples).query(centres)
            aliased = claimed > distance + _ALIASED * patches.radius
            _, first = np.unique(np.floor(nearest[aliased] / (_ADDED * patches.radius)), axis=0, return_index=True)
            samples = np.concatenate([samples, nearest[aliased][first]])
    # Thinned before the costly test: a cell with surface in it may lose an inner ball to an outer one, but only a small one.
    balls = _thinned(Balls(centres, distance), _CELL * patches.radius)
    inside = surface.inside(balls.centres)
    return Balls(balls.centres[inside], balls.depths[inside])


def _voronoi_vertices(samples: Floats) -> Floats:
    """Circumcentres (k, 3) of the Delaunay tetrahedra that lie within the box of the samples; none where all are in a plane."""
    try:
        corners = samples[Delaunay(samples).simplices]
    except (QhullError, ValueError):
        return np.empty((0, 3))
    edges = corners[:, 1:] - corners[:, :1]
    half_squares = 0.5 * (edges**2).sum(axis=2)
    u, v, w = edges[:, 0], edges[:, 1], edges[:, 2]
    across = np.cross(v, w)
    volume = (u * across).sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        offset = (
            half_squares[:, :1] * across + half_squares[:, 1:2] * np.cross(w, u) + half_squares[:, 2:] * np.cross(u, v)
        ) / volume[:, None]
    centres = corners[:, 0] + offset
    low, high = samples.min(axis=0), samples.max(axis=0)
    return centres[((centres > low) & (centres < high)).all(axis=1)]


def _touching_balls(patches: Patches, surface: Surface) -> Balls:
    """For each patch the largest inner ball that touches its middle: it shrinks until nothing of the surface is in it."""
    touch, normal = patches.middles, patches.normals()
    keep = normal.any(axis=1)
    touch, normal = touch[keep], normal[keep]
    probe = 0.05 * patches.radius
    inwards = np.where(surface.inside(touch - probe * normal)[:, None], -normal, normal)
    radius = np.full(len(touch), float(length(np.ptp(patches.corners.reshape(-1, 3), axis=0))))
    open_rows = np.arange(len(touch))
    for _ in range(_SHRINKS):
        centre = touch[open_rows] + inwards[open_rows] * radius[open_rows, None]
        distance, nearest = surface.nearest(centre)
        way = nearest - touch[open_rows]
        ahead = (way * inwards[open_rows]).sum(axis=1)
        pierced = (distance < radius[open_rows] * (1.0 - 1e-6)) & (ahead > 0.0)
        open_rows = open_rows[pierced]
        # The ball through the touching point and the point that was inside it.
        radius[open_rows] = (way[pierced] ** 2).sum(axis=1) / (2.0 * ahead[pierced])
    centres = touch + inwards * radius[:, None]
    centres = centres[surface.inside(centres)]
    return Balls(centres, surface.nearest(centres)[0])


def _thinned(balls: Balls, cell: float) -> Balls:
    """The deepest ball of each cell of a grid."""
    key = np.floor((balls.centres - balls.centres.min(axis=0, initial=np.inf)) / cell).astype(np.int64)
    order = np.argsort(-balls.depths, kind="stable")
    _, first = np.unique(key[order], axis=0, return_index=True)
    return Balls(balls.centres[order[first]], balls.depths[order[first]])
