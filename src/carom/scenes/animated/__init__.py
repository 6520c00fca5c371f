"""The built-in animations of deforming meshes: `tablecloth`, `swirl` and `walker`, by name in `animations`."""
