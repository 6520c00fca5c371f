"""Trees of bounds over triangles."""

from carom.trees.obb_tree import ObbTree, build_obb_tree, tree_of

__all__ = ["ObbTree", "build_obb_tree", "tree_of"]
