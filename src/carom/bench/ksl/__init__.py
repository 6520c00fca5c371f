"""Deforming meshes: figures 10 to 12 of the kinetic separation list, and the project's own targets."""
