"""Samples of meshes and bodies in motion, and of worlds."""
