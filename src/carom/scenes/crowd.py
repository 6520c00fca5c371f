"""Bodies of several sizes that drift in a box at random."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from carom.scenes import placement
from carom.scenes.scene import Scene, make_scene
from carom.shapes import Shape


def crowd(
    name: str,
    parameters: Mapping[str, Any],
    shapes: Sequence[Shape],
    shape_index: NDArray[np.int64],
    sizes: NDArray[np.float64],
    rng: np.random.Generator,
    until: float,
) -> Scene:
    """Return a scene of bodies of bounding radii `sizes`, whose masses are the cubes of their sizes, between walls.

    The parameter "density" is the volume of all bounding spheres over that of the box. Positions, orientations, directions
    and speeds (0.5 to 1.5) are random.
    """
    n, side = len(sizes), placement.box_side(sizes, parameters["density"])
    return make_scene(
        name,
        parameters,
        shapes,
        shape_index=shape_index,
        positions=placement.scatter(rng, sizes, side),
        velocities=placement.random_directions(rng, n) * rng.uniform(0.5, 1.5, (n, 1)),
        orientations=placement.random_orientations(rng, n),
        masses=sizes * sizes * sizes,
        walls=(np.zeros(3), np.full(3, side)),
        until=until,
    )
