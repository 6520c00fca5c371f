"""Compilation ahead of time: each part does a small amount of real work of its kind."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

import numpy as np

from carom import queries
from carom.boxes.still_boxes import box_pairs
from carom.deform import SeparationList, check
from carom.engine.broad_phases import AUTO, BROAD_PHASES, REGISTERED
from carom.motion import Deforming, Motion
from carom.response import Elastic
from carom.shapes import Box, Capsule, Cone, Convex, Cylinder, HalfSpace, Mesh, Shape, Sphere
from carom.world.world import World

_SIDE = 0.8  # Distance of neighbours in the small worlds, m: they touch soon
AUTO_CHOICES = tuple(name for name, each in REGISTERED.items() if each.cost)
"""The broad phases from which `auto` selects."""


def warm_up(*, everything: bool = False, on_part: Callable[[str, int, int], None] | None = None) -> None:
    """Compile the kernels of worlds, queries and checks, so that nothing is compiled at first use.

    This takes minutes with an empty cache. Compiled kernels are kept on disk, so a repeated call takes seconds. No
    compile notices are printed meanwhile.

    Parameters
    ----------
    everything : bool
        Also compile the broad phases that are only used on request, and separation lists. Default: False.
    on_part : callable, optional
        Called before each part with its name, the number of parts done and the number of parts.
    """
    parts = dict(PARTS) | (dict(RARER_PARTS) if everything else {})
    with _without_notices():
        for done, (name, work) in enumerate(parts.items()):
            if on_part is not None:
                on_part(name, done, len(parts))
            work()


@contextmanager
def _without_notices() -> Iterator[None]:
    before = os.environ.get("CAROM_QUIET")
    os.environ["CAROM_QUIET"] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ["CAROM_QUIET"]
        else:
            os.environ["CAROM_QUIET"] = before


def _pyramid() -> Mesh:
    corners = [(0.3, 0, -0.2), (-0.2, 0.3, -0.2), (-0.2, -0.3, -0.2), (0, 0, 0.3)]
    return Mesh(np.array(corners), np.array([(0, 2, 1), (0, 1, 3), (1, 2, 3), (2, 0, 3)]))


def _solids() -> list[Shape]:
    return [Box((0.4, 0.4, 0.4)), Convex(_pyramid().vertices), Capsule(0.15, 0.3), Cylinder(0.2, 0.4), Cone(0.2, 0.4)]


def _crowd(
    shapes: list[Shape], broad: str = "auto", spin: float = 0.0, gravity: float = 0.0, periodic: float | None = None
) -> None:
    """Run 24 bodies of these shapes until they have touched; every other one falls, so that relative motion is both straight
    and curved. No wall in periodic space.
    """
    rng = np.random.default_rng(0)
    world = World(broad=broad, response=Elastic(), periodic=None if periodic is None else (periodic,) * 3)
    for k, cell in enumerate(itertools.product(range(2), range(3), range(4))):
        fall = (0.0, 0.0, -gravity * (k % 2))
        motion = Motion(_SIDE * np.array(cell), rng.normal(size=3), acceleration=fall, spin=spin * rng.normal(size=3))
        world.add(shapes[k % len(shapes)], motion)
    if periodic is None:
        world.add(HalfSpace((0, 0, 1), -1.0), Motion(), mass=np.inf)
    world.advance(1.0)


def _other_broad_phases(names: tuple[str, ...]) -> None:
    for broad, shape in itertools.product(names, (Sphere(0.3), _pyramid())):
        _crowd([shape], broad)


def _pair_queries(a: Shape, b: Shape) -> None:
    """Run every query of a pair, for one pose and a batch, apart and overlapping."""
    near, far = np.eye(4), np.eye(4)
    near[0, 3], far[0, 3] = 0.1, 2.0
    for pose in (near, far, np.stack([near, far])):
        queries.collide(a, b, pose_b=pose)
        queries.distance(a, b, pose_b=pose)
        queries.penetration(a, b, pose_b=pose)
        queries.gap(a, b, 0.1, pose_b=pose)
    fly = Motion((2.0, 0.0, 0.0), (-1.0, 0.0, 0.0))
    queries.time_of_impact(a, b, Motion(), fly, 9.0)
    queries.time_of_impact(a, b, Motion(), Motion((2.0, 0.0, 0.0), (-1.0, 0.0, 0.0), spin=(0.0, 0.0, 1.0)), 9.0)


def _solid_queries() -> None:
    for a, b in itertools.combinations([Sphere(0.3), *_solids()], 2):
        _pair_queries(a, b)


def _mesh_queries() -> None:
    _pair_queries(_pyramid(), _pyramid())


def _mixed_queries() -> None:
    _pair_queries(_pyramid(), Box((0.4, 0.4, 0.4)))
    _pair_queries(_pyramid(), Sphere(0.3))


def _plane_queries() -> None:
    ground = HalfSpace((1, 0, 0), 0.0)
    for shape in (Sphere(0.3), Box((0.4, 0.4, 0.4)), Cone(0.2, 0.4), _pyramid()):
        _pair_queries(ground, shape)


def _casts() -> None:
    for shape in [Sphere(0.3), *_solids(), _pyramid()]:
        queries.ray_cast(shape, (2.0, 0.01, 0.02), (-1.0, 0.0, 0.0))
    queries.shape_cast(Sphere(0.3), Box((0.4, 0.4, 0.4)), (1.0, 0.0, 0.0))


def _sheet(n: int = 9, bend: float = 0.0, height: float = 0.0, fall: float = 0.0) -> Deforming:
    """Return a square sheet of n by n vertices that folds into a tube if `bend` is 1, or falls."""
    s, t = np.meshgrid(np.linspace(-1.0, 1.0, n), np.linspace(-1.0, 1.0, n), indexing="ij")
    flat = np.stack([s, t, np.full_like(s, height)], axis=-1).reshape(-1, 3)
    angle = np.pi * s.ravel() * 1.1
    tube = np.stack([np.sin(angle), flat[:, 1], -np.cos(angle)], axis=-1)
    low = np.arange(n * n).reshape(n, n)[:-1, :-1].ravel()
    faces = np.concatenate([np.stack([low, low + n, low + 1], -1), np.stack([low + 1, low + n, low + n + 1], -1)])
    end = (1.0 - bend) * flat + bend * tube - (0.0, 0.0, fall)
    return Deforming(faces, [0.0, 1.0], np.stack([flat, end]))


def _deforming() -> None:
    check([_sheet(bend=1.0, height=0.5), _sheet()], self_collision=True)
    points = np.random.default_rng(0).normal(size=(2, 64, 4, 3))
    queries.vertex_face_toi(*points)
    queries.edge_edge_toi(*points)


def _deforming_world() -> None:
    world = World()
    world.add(_sheet(height=0.5, fall=1.0))
    world.add(_sheet())
    world.add(Sphere(0.2), Motion((0.1, 0.05, 0.6), (0.0, 0.0, -2.0)))
    world.add(HalfSpace((0, 0, 1), -0.3), Motion(), mass=np.inf)
    world.advance(1.0)


def _lists() -> None:
    SeparationList(_sheet(bend=1.0, height=0.5), _sheet()).advance(1.0)


def _boxes() -> None:
    low = np.random.default_rng(0).uniform(size=(5000, 3))
    box_pairs(low, low + 0.05)


PARTS: Mapping[str, Callable[[], None]] = {
    "worlds of spheres": lambda: _crowd([Sphere(0.3)]),
    "worlds of meshes": lambda: _crowd([_pyramid()]),
    "worlds of boxes and convex shapes": lambda: _crowd(_solids()[:2]),
    "worlds of round shapes": lambda: _crowd([*_solids(), Sphere(0.2)]),
    "worlds with gravity": lambda: _crowd([Sphere(0.3), Box((0.4, 0.4, 0.4)), _pyramid()], gravity=10.0),
    "worlds of spinning bodies": lambda: _crowd([*_solids(), _pyramid()], spin=2.0),
    "worlds that repeat in space": lambda: _crowd([Sphere(0.3)], periodic=4.0),
    "other broad phases that auto may choose": lambda: _other_broad_phases(AUTO_CHOICES),
    "queries of solids": _solid_queries,
    "queries of meshes": _mesh_queries,
    "queries of meshes and solids": _mixed_queries,
    "queries of half-spaces": _plane_queries,
    "rays and shape casts": _casts,
    "pairs of boxes": _boxes,
    "checks of deforming meshes": _deforming,
    "deforming bodies in worlds": _deforming_world,
}
"""Parts by name, in this order: the most frequently used first."""

RARER_PARTS: Mapping[str, Callable[[], None]] = {
    "broad phases by name": lambda: _other_broad_phases(tuple(set(BROAD_PHASES) - {AUTO, *AUTO_CHOICES})),
    "separation lists": _lists,
}
"""Parts that are compiled only on request."""
