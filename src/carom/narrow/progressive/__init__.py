"""Collision of two meshes, as exactly as a time budget allows (Hubbard 1995, section VI).

`progressive_pair` and `progressive_crowd` are public; `sphere_descent` and `crowd_descent` are their kernels,
`sphere_arrays` holds their trees, and `descent_limits` says when a descent stops.
"""
