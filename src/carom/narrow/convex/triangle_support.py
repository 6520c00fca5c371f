"""A triangle as a convex core that kernels overwrite repeatedly: three points, no margin, no tables."""

from __future__ import annotations

from carom._compile.jit import inner_kernel
from carom.shapes.parts.core_layout import FEATURES, FIRST_POINT, KIND, MARGIN, N_POINTS, NEIGHBOURS, POINTS

TRIANGLE_CORE = FIRST_POINT + 9
"""Numbers of such a core."""


@inner_kernel
def triangle_core_into(tri, core):
    """Make `core` (TRIANGLE_CORE,) the triangle with corners tri (9,)."""
    core[KIND], core[MARGIN], core[N_POINTS], core[NEIGHBOURS], core[FEATURES] = POINTS, 0.0, 3.0, 0.0, 0.0
    for d in range(9):
        core[FIRST_POINT + d] = tri[d]
