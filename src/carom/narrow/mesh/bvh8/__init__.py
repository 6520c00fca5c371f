"""Searches over eight-wide trees of oriented boxes, by vector instructions in single precision.

`boxes` tests one box against eight, `tree_pair` steps down two trees; `collide`, `distance` and `straight_toi` search.
"""
