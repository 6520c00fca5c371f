"""Collision of two meshes, as exactly as a time budget allows (Hubbard 1995, section VI).

`progressive_pair` and `progressive_crowd` are public; `sphere_descent` and `crowd_descent` are their kernels,
`sphere_arrays` holds their trees, `descent_limits` says when a descent stops, and `exact_cost`
estimates whether a test of triangles fits the budget.
"""
