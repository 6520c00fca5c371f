"""Pools of m axes for velocity-aligned polytopes, with their covering angles.

The pools of `SHIPPED` sizes were searched for once (carom.bounds.axis_cover) and lie beside this file; others are searched
for when first asked for: seconds for a hundred axes.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from carom.bounds.axis_cover import cover, covering_angle
from carom.errors import InvalidInputError

Floats = NDArray[np.float64]

SHIPPED = (*range(3, 33), 36, 40, 46, 48, 50, 56, 61, 64, 65, 72, 80, 96, 100, 121, 128, 130, 160, 200, 256, 300)
"""Numbers of axes whose pools are at hand at once."""
LARGEST_POOL = 1000
"""Axes. The covering angle falls with the root of their number: more would cost far more than they prune."""

_FILE = Path(__file__).with_name("axis_pools.npy")
_STARTS, _LARGE = 4, 64
"""Starts of the search for the pools in the file, up to _LARGE axes; beyond there is one."""


@dataclass(frozen=True)
class AxisPool:
    """Directions of which each body takes those that are nearly at right angles to its velocity."""

    axes: Floats
    """(m, 3), of length 1, none the opposite of another"""
    covering: float
    """rad: no direction is farther from the nearest axis"""

    def __len__(self) -> int:
        return len(self.axes)


@functools.cache
def axis_pool(m: int) -> AxisPool:
    """The pool of m axes, 3 <= m <= LARGEST_POOL, else InvalidInputError."""
    if not 3 <= m <= LARGEST_POOL:
        raise InvalidInputError(f"a pool has {m} axes; expected 3 to {LARGEST_POOL}")
    if m in SHIPPED and _FILE.exists():
        first = sum(size for size in SHIPPED if size < m)
        axes = np.ascontiguousarray(np.load(_FILE)[first : first + m])
    else:
        axes = np.ascontiguousarray(cover(m, starts=1))
    axes.setflags(write=False)
    return AxisPool(axes, covering_angle(axes))


def write_pools() -> None:
    """Search for all pools of `SHIPPED` sizes and write the file; takes some minutes."""
    pools = [cover(m, _STARTS if m <= _LARGE else 1) for m in SHIPPED]
    np.save(_FILE, np.concatenate(pools))
