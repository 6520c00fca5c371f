"""Broad phases that keep boxes swept per frame in a structure: `uniform_grid`, `hash_grid` and `aabb_tree`.

Read `loop` first, then `cell_engine` (what both grids share, over `hash_cells` and `cell_spans`) or `tree_engine` (over
`aabb_tree`).
"""
