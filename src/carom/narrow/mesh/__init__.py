"""Two triangulated surfaces at rest: their intersecting triangles, and their distance.

Read `mesh_pair` first: it runs batches. `collide` and `distance` search two trees of any bounding volume with what
`tree_pair` shares, and `bvh8` holds the same searches over eight-wide trees of oriented boxes; `search_choice` picks.
`triangle_overlap` and `triangle_distance` decide pairs of triangles.
"""
