"""How far a reported contact can be trusted."""

from __future__ import annotations

from enum import IntEnum

# Plain integers for kernels, which cannot look into an enum.
EXACT = 0
OVERLAPPING = 1
STACK_FULL = 2


class Status(IntEnum):
    """The same numbers with their names."""

    EXACT = EXACT
    """The shapes first touch at the reported time, within rounding."""

    OVERLAPPING = OVERLAPPING
    """The shapes already overlapped at the start of the search and move further into each other: contact is then."""

    STACK_FULL = STACK_FULL
    """A tree was deeper than the search allows; the time is a safe lower bound of the contact, point and normal are not set."""
