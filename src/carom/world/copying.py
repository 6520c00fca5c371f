"""The state of a world for pickle and copy: its snapshot, its shapes, its options, and whatever else its owner gave it.

Everything that holds an address is left out and made anew.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from carom.tables.run_columns import PROFILE
from carom.world.log import take_log
from carom.world.saved.snapshot import restore_world

if TYPE_CHECKING:
    from carom.world.world import World

_IN_SNAPSHOT = (
    "_tables", "_engine", "_bodies", "_deforming", "_guided", "_deferral", "_overdue", "_origin", "_time", "_next", "_idle",
    "_advancing", "_asking", "_flight", "_deadline",
)  # fmt: skip
"""Attributes that follow from the snapshot, the shapes and the options."""


def saved_state(world: World) -> dict[str, Any]:
    """Everything that makes the world what it is, without addresses. CaromError where `World.snapshot` raises it."""
    snapshot = world.snapshot()
    take_log(world)
    periods = world._tables.periods
    return {
        "snapshot": snapshot,
        "shapes": [None if int(body) in world._deforming else world.shape(int(body)) for body in world.bodies],
        "options": {
            **world._options,
            "profile": bool(world._tables.count[PROFILE]),
            "periodic": [float(length) or None for length in periods] if periods.any() else None,
        },
        "attributes": {name: value for name, value in vars(world).items() if name not in _IN_SNAPSHOT},
    }


def restore_state(world: World, state: dict[str, Any]) -> None:
    """Make `world`, which is empty and has the options of the state, what `saved_state` saw."""
    attributes = state["attributes"]
    world._selection.follow(attributes["_selection"])
    restore_world(world, state["snapshot"], state["shapes"])
    for name, value in attributes.items():
        if name not in ("_selection", "broad"):
            setattr(world, name, value)
