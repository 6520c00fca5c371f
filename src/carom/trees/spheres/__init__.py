"""Sphere-trees: a surface covered by spheres that get smaller and more numerous per level (Hubbard 1995, VII and VIII).

Read `sphere_tree` first. Three builders: `octree`, `medial` (about the `medial_axis`) and `annealing`. They share `levels`,
`split` and `surface_patches`. `coverage` proves that the spheres of every level cover the surface, `tree_file` stores a tree.
"""
