"""Older methods with which carom is compared, to reproduce the figures of papers.

`bsp_tree` and `bsp_pair`: polyhedra with BSP-trees (Hubbard 1995, section IX). `step_grid` and `step_pairs`: Turk's uniform
subdivision at fixed steps. Fixed-step and bisection scheduling is public, in `carom.schedule`.
"""
