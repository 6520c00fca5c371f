"""Samples of shapes, triangles and trees, and of pairs of them."""
