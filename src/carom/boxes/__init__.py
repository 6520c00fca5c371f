"""Overlapping pairs of axis-aligned boxes: all pairs at one instant, or the changes while boxes move.

Read `still_boxes` (one instant) and `moving_boxes` (updates) first. Boxes of all sizes are in a `grid` with one level per size;
`index` sorts them into its slots, `sweep` compares slots, `linked_boxes` and `fat_boxes` follow moving boxes.
"""

from carom.boxes.moving_boxes import BoxPairs
from carom.boxes.still_boxes import box_pairs

__all__ = ["BoxPairs", "box_pairs"]
