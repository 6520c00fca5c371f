"""Space-time bounds: nothing is compared until two bounds can meet (Hubbard 1995, sections IV and V).

`loop` is the broad phase of a world. `earliest` finds the first meeting of many bounds by one of four methods: `neighbours`,
`brute_force`, `projection` (V.B.1) and `subdivision` (V.B.2). `possible_pairs` serves programs that go frame by frame, and
`steered_cubes` is the experiment of the paper's figure 9.
"""
