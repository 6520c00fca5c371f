"""First contact by conservative advancement: never late, and early by at most a stated gap.

One file per pair of operands: `sphere`, `convex` (a support function), `surface` (a tree over triangles), `half_space` and
`triangle`. `scratch` lays out the state of a search, `obb_bounds` and `triangle_axes` bound how long two things stay apart, and
`starts` handles searches that begin in overlap.
"""
