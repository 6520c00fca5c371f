"""The scenes of the comparison of broad phases: packing, sizes, a stream, one crowded axis, costly shapes."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from carom.bench.broad.mixed_sizes import mixed
from carom.errors import SceneError
from carom.response import Elastic
from carom.scenes import placement
from carom.scenes.gas import gas
from carom.scenes.rings import rings
from carom.scenes.scene import Scene, make_scene, with_fixed, with_walls
from carom.shapes import Box, HalfSpace, Shape, Sphere

_GRAVITY = (0.0, 0.0, -10.0)
_BOUNCE = Elastic(restitution=0.6, collapse_time=0.01)
_LANDED = 1.6  # Seconds after which all bodies have reached the table
_INSET = 1.01  # Half of the least distance of spheres of radius 1 at the start
_SEED = 7

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class BenchScene:
    """A scene of any number of bodies."""

    title: str
    make: Callable[[int], Scene]
    longest: float  # Seconds over which it keeps its character: piles come to rest, streams spread
    most: int  # Largest number of bodies that is measured
    repeats: int = 2  # Number of runs of a method that is far from the fastest


def stream(objects: int, seed: int = _SEED) -> Scene:
    """Return spheres that move along a channel at speed 10, with small random velocities."""
    rng = np.random.default_rng(seed)
    packing, long, speed, own = 0.2, 4.0, 10.0, 0.5
    side = placement.box_side(np.ones(objects), packing) / np.cbrt(long)
    sites = _lattice_in_channel(rng, objects, np.array([long * side, side, side]))
    velocities = own * rng.standard_normal((objects, 3)) + np.array([speed, 0.0, 0.0])
    return make_scene(
        "stream", {"objects": objects, "seed": seed}, [Sphere(1.0)],
        shape_index=0, positions=sites, velocities=velocities,
        walls=(np.zeros(3), np.full(3, side)), wall_axes="yz", until=5.0,
    )  # fmt: skip


def _lattice_in_channel(rng: np.random.Generator, n: int, extent: Floats) -> Floats:
    """Return n random, jittered sites of a lattice in a box (3,), as wide as possible, for spheres of radius 1.

    SceneError if spheres would overlap.
    """
    room = extent - 2.0 * _INSET
    spacing = float(np.cbrt(np.prod(extent) / n))
    while (sites := int(np.prod(counts := np.floor(room / spacing).astype(np.int64) + 1))) < n:
        spacing *= 0.99
        if spacing < 2.0 * _INSET:
            raise SceneError(f"{n} spheres do not fit into a channel of {extent}")
    at = np.stack(np.unravel_index(rng.choice(sites, n, replace=False), tuple(counts)), axis=-1)
    steps = np.where(counts > 1, room / np.maximum(counts - 1, 1), 0.0)
    jitter = rng.uniform(-0.5, 0.5, (n, 3)) * np.maximum(steps - 2.0 * _INSET, 0.0)
    return np.clip(_INSET + at * steps + jitter, _INSET, extent - _INSET)


def fallen(objects: int, dice: bool, seed: int = _SEED) -> Scene:
    """Return spheres, or dice, dropped from different heights onto a table with a rim; restitution 0.6.

    Contacts of a body within 10 ms of its last one are elastic, so that bodies on the table keep moving and time advances.
    """
    rng = np.random.default_rng(seed)
    spacing, low, high = 3.0, 6.0, 14.0
    across = int(np.ceil(np.sqrt(objects)))
    site = rng.permutation(across**2)[:objects]
    positions = np.column_stack([site % across, site // across, np.zeros(objects)]) * spacing + 0.5 * spacing
    positions[:, :2] += rng.uniform(-0.45, 0.45, (objects, 2))
    positions[:, 2] = rng.uniform(low, high, objects)
    shape: Shape = Box((1.15, 1.15, 1.15)) if dice else Sphere(1.0)
    velocities = np.concatenate([rng.standard_normal((objects, 2)), np.zeros((objects, 1))], axis=1)
    scene = make_scene(
        "dice" if dice else "pile", {"objects": objects, "seed": seed}, [shape],
        shape_index=0, positions=positions, velocities=velocities,
        orientations=placement.random_orientations(rng, objects),
        response={"kind": "elastic", "restitution": _BOUNCE.restitution}, until=1.5,
    )  # fmt: skip
    scene = dataclasses.replace(scene, accelerations=np.tile(_GRAVITY, (objects, 1)), world={"response": _BOUNCE})
    side = across * spacing
    return _with_table(with_walls(scene, (0.0, 0.0, 0.0), (side, side, 1.0), "xy"))


def _with_table(scene: Scene) -> Scene:
    """Return the scene on a table at height 0, which comes last."""
    return with_fixed(scene, [HalfSpace((0.0, 0.0, 1.0), 0.0)], ["table"])


def settled(scene: Scene, seconds: float) -> Scene:
    """Return the scene that begins with the state after this number of seconds."""
    world = scene.build(broad="kinetic-grid")
    world.advance(seconds)
    return dataclasses.replace(scene, positions=world.positions(), velocities=world.velocities())


def _gas(packing: float) -> Callable[[int], Scene]:
    melting = 2.0 if packing > 0.1 else 0.0  # denser ones start on a lattice
    return lambda n: settled(gas(objects=n, packing=packing, seed=_SEED), melting)


SCENES: dict[str, BenchScene] = {
    "gas 0.01": BenchScene("gas, packing 0.01", _gas(0.01), 1000.0, 100_000, repeats=5),
    "gas 0.1": BenchScene("gas, packing 0.1", _gas(0.1), 1000.0, 100_000, repeats=5),
    "gas 0.3": BenchScene("gas, packing 0.3", _gas(0.3), 1000.0, 100_000, repeats=5),
    "mixed 16:1": BenchScene(
        "spheres of sizes 1 to 16, packing 0.1", lambda n: mixed(n, 16.0, seed=_SEED), 1000.0, 30_000
    ),
    "mixed 64:1": BenchScene(
        "spheres of sizes 1 to 64, packing 0.1", lambda n: mixed(n, 64.0, seed=_SEED), 1000.0, 30_000
    ),
    "stream": BenchScene("spheres streaming along a channel", lambda n: settled(stream(n), 2.0), 5.0, 30_000),
    "pile": BenchScene("spheres bouncing on a table", lambda n: settled(fallen(n, dice=False), _LANDED), 1.0, 30_000),
    "dice": BenchScene("dice bouncing on a table", lambda n: settled(fallen(n, dice=True), _LANDED), 1.0, 10_000),
    "rings": BenchScene("rings, density 0.01", lambda n: rings(objects=n, density=0.01, seed=_SEED), 100.0, 10_000),
}
"""By name."""
