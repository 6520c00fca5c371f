"""Mesh and animation formats, one per file: OBJ, OFF, PLY, STL, glTF, COLLADA, PC2 and MDD point caches, NumPy archives."""
