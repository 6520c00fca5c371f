"""First contact of two shapes in motion.

Two searches answer: `translating` where neither shape turns (exact, in `straight`), and `spinning` otherwise (conservative
advancement, in `advancement`). `interior` serves both where the shapes overlap at the start, and `round_pair` tests shapes of
kind ROUND in worlds. `shape_table` packs the shapes of a world for kernels, `workspace` the scratch arrays of a test; `status`
says how far an answer can be trusted.
"""
