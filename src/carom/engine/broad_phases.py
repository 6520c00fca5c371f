"""All broad phases: each registers itself, in the form of carom.engine.contract, beside its engine."""

from __future__ import annotations

from carom.engine.all_pairs.loop import ALL_PAIRS
from carom.engine.contract import BroadPhase
from carom.engine.framed.hash_grid import HASH_GRID
from carom.engine.framed.tree_engine import AABB_TREE
from carom.engine.framed.uniform_grid import UNIFORM_GRID
from carom.engine.kinetic_grid.engine import KINETIC_GRID
from carom.engine.space_time import SPACE_TIME
from carom.engine.sweep.kinetic import KINETIC, KINETIC_VADOP
from carom.engine.sweep.swept import SWEPT, VADOP

AUTO = "auto"
REGISTERED: dict[str, BroadPhase] = {
    each.name: each
    for each in (
        KINETIC,
        KINETIC_GRID,
        SWEPT,
        ALL_PAIRS,
        UNIFORM_GRID,
        HASH_GRID,
        AABB_TREE,
        SPACE_TIME,
        VADOP,
        KINETIC_VADOP,
    )
}
"""The broad phases by name."""

BROAD_PHASES = (AUTO, *REGISTERED)
"""Values of World(broad=...)."""


def title_of(name: str) -> str:
    """What a broad phase is, in words."""
    return REGISTERED[name].title


def with_option(option: str) -> tuple[str, ...]:
    """Names of the broad phases that take an option of World."""
    return tuple(name for name, each in REGISTERED.items() if option in each.options)
