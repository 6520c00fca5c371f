"""Polygons of mesh files: cut into triangles in their own planes, and vertices that agree bit for bit made one."""
