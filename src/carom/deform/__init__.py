"""Deforming meshes: trees over triangles whose vertices move, and when and where they first touch."""
