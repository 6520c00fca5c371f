"""Two convex shapes at rest: distance, penetration depth and closest features (Larsen's survey, "GJK" and "Lin-Canny").

Read `support` and `carom.shapes.parts.cores` first: a shape is what its support function says. `gjk` finds the distance,
`epa` and `least_axis` the depth, `penetration` combines them, and `convex_pair` runs batches. `lin_canny` walks over the
Voronoi regions of a polyhedron (`voronoi_regions`, `solid_features`), and `closest_features` follows a pair from pose to pose.
"""
