"""One file per mesh and animation format: OBJ, OFF, PLY, STL, glTF, COLLADA, PC2 and MDD point caches, NumPy archives."""
