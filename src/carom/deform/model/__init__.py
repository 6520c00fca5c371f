"""What all methods for deforming meshes share: bodies, trees over their triangles, neighbours, and when a contact is new.

Read `assembly` first: several bodies as one. `adjacency` and `vertex_fans` handle triangles that share a vertex,
`vertex_envelope` bounds a vertex over several keys, `contact_onset` and `reported_pairs` decide what is reported.
"""
