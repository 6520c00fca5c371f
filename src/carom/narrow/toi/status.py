"""Accuracy of a reported contact."""

from __future__ import annotations

from enum import IntEnum

# Plain integers for kernels, which cannot look into an enum.
EXACT = 0
OVERLAPPING = 1
STACK_FULL = 2
CONSERVATIVE = 3
NOT_YET = 4


class Status(IntEnum):
    """The same numbers with their names."""

    EXACT = EXACT
    """The shapes first touch at the reported time, within rounding."""

    OVERLAPPING = OVERLAPPING
    """The shapes already overlapped at the start of the search, by more than a touch: contact is then."""

    STACK_FULL = STACK_FULL
    """A tree was deeper than the search allows; the time is a safe lower bound of the contact, point and normal are not set."""

    CONSERVATIVE = CONSERVATIVE
    """The contact is not before the reported time; then the shapes are apart by the stated gap at most."""

    NOT_YET = NOT_YET
    """No contact before the reported time, which is where the search ended; point and normal are not set."""
