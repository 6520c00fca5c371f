"""When space-time bounds first meet (Hubbard 1995, sections IV and V).

`earliest` finds the first meeting of many bounds by one of four methods: `neighbours`, `brute_force`, `projection` (V.B.1) and
`subdivision` (V.B.2). `possible_pairs` serves programs that go frame by frame.
"""
