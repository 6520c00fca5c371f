"""Older methods that carom is compared with, kept because their papers' figures are reproduced.

`bsp_tree` and `bsp_pair`: polyhedra through BSP-trees (Hubbard 1995, section IX). `step_grid` and `step_pairs`: Turk's uniform
subdivision at fixed steps. Fixed-step and bisection scheduling is public and lives in `carom.schedule`.
"""
