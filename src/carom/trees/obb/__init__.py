"""Trees of oriented boxes over triangles, one triangle per leaf.

Read `tree` first; `halve` splits, `fit` and `flat_fit` fit a box, `node` lays out its row. `bvh8` makes the form with eight
children per node that the vector instructions of `carom.narrow.mesh.bvh8` read.
"""
