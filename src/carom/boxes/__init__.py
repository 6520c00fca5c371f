"""Overlapping pairs of axis-aligned boxes: all at one instant, or what changes while boxes move.

Read `box_pairs` (one instant) and `moving_boxes` (updates) first. Boxes of all sizes live in a `grid` with one level per size;
`index` sorts them into its slots, `sweep` compares slots, `linked_boxes` and `fat_boxes` follow moving ones.
"""
