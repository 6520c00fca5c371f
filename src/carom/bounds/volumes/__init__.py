"""Bounding volumes for trees over triangles (Larsen's survey, "BV types").

`volume_type` says what a volume offers: a fit, an overlap test and a lower bound of distance. One file per volume: `sphere`,
`aabb`, `kdop`, `convex_hull`, `spherical_shell` and `swept_sphere` (points, lines and rectangles). `contents`, `nearest_point`
and `rectangle_distance` are shared by several of them. Oriented boxes have their own tree in `carom.trees.obb`.
"""
