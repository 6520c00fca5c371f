"""Sphere-trees as kernels take them, and where their spheres are at a pose.

The tree of b is placed in the frame of a by x_a = R x_b + t. Spheres count as larger by `pose_slack`, which covers rounding.
"""

from __future__ import annotations

from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from carom._compile.jit import inline_kernel
from carom.tolerances import SPHERE_TREE_SLACK
from carom.trees.spheres.sphere_tree import SphereTree

SPHERE_WIDTH = 8
SPHERE_LANES = 4 * SPHERE_WIDTH
"""Doubles that the children of a sphere take in `lanes`."""


class SphereArrays(NamedTuple):
    """A SphereTree as kernels take it; reach: of all spheres from the origin; spread: of all centres from that of the root.

    lanes (32 n,): for each sphere its children as `spheres_touching` takes them; deep_lanes (32 n,): the same with the balls of
    the depths, which lie inside the solid, about the centres.
    """

    spheres: NDArray[np.float64]
    depths: NDArray[np.float64]
    child_start: NDArray[np.int32]
    lanes: NDArray[np.float64]
    deep_lanes: NDArray[np.float64]
    reach: float
    spread: float


_arrays: WeakKeyDictionary[SphereTree, SphereArrays] = WeakKeyDictionary()


def sphere_arrays(tree: SphereTree) -> SphereArrays:
    """Arrays of a tree, gathered once for each."""
    arrays = _arrays.get(tree)
    if arrays is None:
        centres, radii = tree.spheres[:, :3], tree.spheres[:, 3]
        reach = float((np.sqrt((centres**2).sum(axis=1)) + radii).max())
        spread = float(np.sqrt(((centres - centres[0]) ** 2).sum(axis=1)).max())
        arrays = SphereArrays(tree.spheres, tree.depths, tree.child_start, *_lanes_of(tree), reach, spread)
        _arrays[tree] = arrays
    return arrays


def _lanes_of(tree: SphereTree) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    lanes = np.zeros((len(tree.spheres), 4, SPHERE_WIDTH))
    lanes[:, :3] = np.inf
    count = np.diff(tree.child_start)
    parent = np.repeat(np.arange(len(count)), count)
    place = np.arange(1, len(tree.spheres)) - tree.child_start[parent]
    lanes[parent, :, place] = tree.spheres[1:]
    deep = lanes.copy()
    deep[parent, 3, place] = tree.depths[1:]
    return lanes.reshape(-1), deep.reshape(-1)


@inline_kernel
def pose_slack(reach_a, reach_b, shift):
    """By how much spheres count as larger, m."""
    return SPHERE_TREE_SLACK * (reach_a + reach_b + abs(shift[0]) + abs(shift[1]) + abs(shift[2]))


@inline_kernel
def placed(spheres, row, rot, shift):
    """Centre of a sphere of b in the frame of a."""
    x, y, z = spheres[row, 0], spheres[row, 1], spheres[row, 2]
    return (
        rot[0] * x + rot[1] * y + rot[2] * z + shift[0],
        rot[3] * x + rot[4] * y + rot[5] * z + shift[1],
        rot[6] * x + rot[7] * y + rot[8] * z + shift[2],
    )


@inline_kernel
def square_apart(spheres, row, x, y, z):
    """Squared distance of a centre from a point, rounded as in spheres_touching."""
    dx, dy, dz = spheres[row, 0] - x, spheres[row, 1] - y, spheres[row, 2] - z
    return (dx * dx + dy * dy) + dz * dz


@inline_kernel
def placed_back(spheres, row, rot, shift):
    """Centre of a sphere of a in the frame of b."""
    x, y, z = spheres[row, 0] - shift[0], spheres[row, 1] - shift[1], spheres[row, 2] - shift[2]
    return (
        rot[0] * x + rot[3] * y + rot[6] * z,
        rot[1] * x + rot[4] * y + rot[7] * z,
        rot[2] * x + rot[5] * y + rot[8] * z,
    )
