"""Possible results of a test of one feature pair."""

from __future__ import annotations

CLEAR = 0
"""Proved: the features never touch."""
CONTACT = 1
"""Proved: they touch, and the first time is known."""
UNDECIDED = 2
"""Not proved either way by floating point; exact integers decide."""
