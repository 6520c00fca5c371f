"""Velocity-aligned discrete oriented polytopes: `swept` per frame as in the paper, and `kinetic` without frames.

`axis_lists` holds one sorted list per axis of the pool, with only the bodies that use it; `list_updates` and `list_order` keep
them right, and `axis_pool_size` chooses pool and zone where the user does not.
"""
