"""Exact first contact of shapes that do not rotate, under constant relative acceleration.

One file per pair, `operand_operand`; `surface` is any triangulated shape. `moving_axes` and `obb_axes` are the separating axes
that the pairs share; `flights` runs many motions of one pair.
"""
