"""Two triangles whose corners move linearly: first contact, point and normal.

`triangle_pairs` and `leaf_contact` run the fifteen features of a pair through `carom.narrow.features`; `pair_tester` collects
what needs exact arithmetic, `convex_advancement` meets rigid bodies, and `lanes` holds the vector instructions.
"""
