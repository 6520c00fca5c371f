"""Polygons of mesh files: triangulation in their own planes, and merging of vertices that agree bit for bit."""
