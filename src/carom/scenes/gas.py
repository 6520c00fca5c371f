"""Hard spheres in a box: the classical test of event-driven simulation."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from carom.errors import SceneError
from carom.maths.normals import standard_normals
from carom.scenes import placement
from carom.scenes.scene import Scene, make_scene
from carom.shapes import Sphere

_RANDOM_UP_TO = 0.1
"""Packing up to which spheres are inserted at random; above, they start on a jittered lattice, which melts."""


def gas(objects: int = 1000, packing: float = 0.1, periodic: int = 0, restitution: float = 1.0, seed: int = 0) -> Scene:
    """Hard spheres of radius 1 and mass 1 in a cubic box, with Maxwell speeds at temperature 1.

    The packing is the volume of all spheres over that of the box (0.001 to 0.5, and what the walls leave room for).
    periodic 1: the box repeats in space and has no walls. restitution below 1: a granular gas, which cools.
    """
    rng = np.random.default_rng(seed)
    radii = np.ones(objects)
    side = placement.box_side(radii, packing)
    if packing <= _RANDOM_UP_TO and side > 2.0:
        positions = placement.scatter(rng, radii, side)
    elif placement.lattice_capacity(1.0, side) >= objects:
        positions = placement.lattice(rng, objects, 1.0, side)
    else:
        raise SceneError(
            f"gas: packing is {packing:g}; expected at most {_highest_packing(objects):.3f}, where {objects} spheres "
            f"of radius 1 still fit between the walls"
        )
    made = make_scene(
        "gas",
        {"objects": objects, "packing": packing, "periodic": periodic, "restitution": restitution, "seed": seed},
        [Sphere(1.0)],
        shape_index=0,
        positions=positions,
        velocities=standard_normals(rng, objects, 3),
        walls=None if periodic else (np.zeros(3), np.full(3, side)),
        response={"kind": "elastic", "restitution": restitution},
        until=10.0,
    )
    return dataclasses.replace(made, world={"periodic": [side] * 3}) if periodic else made


def gas_volumes(parameters: Mapping[str, Any]) -> tuple[float, float]:
    """Return the volume of the box of a gas with these parameters, and the volume accessible to the centres of its spheres."""
    side = placement.box_side(np.ones(int(parameters["objects"])), float(parameters["packing"]))
    inner = side if parameters.get("periodic") else side - 2.0
    return side * side * side, inner * inner * inner


def _highest_packing(objects: int) -> float:
    """Return the largest packing, rounded down to 0.001, at which the lattice has room for this number of spheres."""
    for thousandth in range(739, 0, -1):
        side = placement.box_side(np.ones(objects), thousandth / 1000.0)
        if placement.lattice_capacity(1.0, side) >= objects:
            return thousandth / 1000.0
    return math.nan
