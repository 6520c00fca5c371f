"""Layout of a support core: one flat float64 array, in the frame of the shape, that support functions read.

A core is what is left of a convex shape when a margin is peeled off all round. A sphere is a point with a margin, a capsule
a segment with one. Queries treat the cores and add the margins at the end. `carom.shapes.parts.cores` makes cores, and
`carom.narrow.convex.support` evaluates them.
"""

from __future__ import annotations

# What core[KIND] says. A curved surface has the code of its shape there, which is above these.
POINT = 0
"""The origin."""
SEGMENT = 1
"""From -core[SIZE] to core[SIZE] along z."""
BOX = 2
"""Half sizes at core[SIZE : SIZE + 3]."""
POINTS = 5
"""The hull of core[N_POINTS] points from core[FIRST_POINT] on, xyz each."""

# Places in a core
KIND = 0
MARGIN = 1
"""Thickness around the core in metres."""
SIZE = 2
"""Up to three sizes; their meaning depends on the kind."""
N_POINTS = 5
NEIGHBOURS = 6
"""Place of the neighbour table, 0 for none: n + 1 places of lists in the core, then the lists of neighbouring points."""
FEATURES = 7
"""Place of the table of sides and edges, 0 for none; see `carom.shapes.parts.cores`."""
FIRST_POINT = 8

CLIMB_FROM = 100
"""Points from which on climbing from neighbour to neighbour beats looking at every point."""
