"""Trees of bounds over triangles."""

from carom.trees.obb_tree import ObbTree, build_obb_tree, tree_of
from carom.trees.volume_tree import VOLUME_TYPES, VolumeTree, build_volume_tree, volume_tree_of

__all__ = [
    "VOLUME_TYPES",
    "ObbTree",
    "VolumeTree",
    "build_obb_tree",
    "build_volume_tree",
    "tree_of",
    "volume_tree_of",
]
