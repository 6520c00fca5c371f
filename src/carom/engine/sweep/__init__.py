"""Sweep and prune over sorted lists of interval ends: `kinetic`, whose exchanges are events, and `swept`, sorted per frame.

Both run on axes that all bodies share, on axes of a pool that each body chooses by its velocity (paper VADOP), or on both.
`axis_lists` holds the lists, each with only the bodies that use its axis; `kinetic_lists` keeps them sorted by events,
`frame_updates` and `list_order` per frame. `engine` is what both share, and `axis_pool_size` chooses pool and zone where the
user does not.
"""
