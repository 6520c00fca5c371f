"""Sweep and prune over the axes of the world: `kinetic`, whose exchanges are events, and `swept`, sorted once per frame.

Kinetic sweep and prune, sections 2.1 and 3 to 5. Read `engine` for what both share, `sorted_lists` for the lists, and
`kinetic_lists` and `swept_lists` for how they stay sorted.
"""
