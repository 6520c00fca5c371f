"""The common base of all methods for deforming meshes: bodies, trees, neighbours, and which contacts are new.

Read `assembly` first: several bodies as one. `adjacency` and `vertex_fans` handle triangles that share a vertex,
`vertex_envelope` bounds a vertex over several keys, `contact_onset` and `reported_pairs` decide what is reported.
"""
