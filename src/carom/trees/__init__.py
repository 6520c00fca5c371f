"""Trees of bounds over triangles."""

from carom.trees.obb.tree import ObbTree, build_obb_tree, tree_of
from carom.trees.spheres.sphere_tree import Looseness, SphereTree, sphere_tree_of
from carom.trees.volume_tree import VOLUME_TYPES, VolumeTree, build_volume_tree, volume_tree_of

__all__ = [
    "VOLUME_TYPES",
    "Looseness",
    "ObbTree",
    "SphereTree",
    "VolumeTree",
    "build_obb_tree",
    "build_volume_tree",
    "sphere_tree_of",
    "tree_of",
    "volume_tree_of",
]
