"""Contact responses: how a contact changes the motions."""

from __future__ import annotations

from dataclasses import dataclass

from carom import validate
from carom.errors import InvalidInputError
from carom.tolerances import COLLAPSE_TIME


@dataclass(frozen=True)
class Elastic:
    """Frictionless impact along the contact normal, with masses and restitution.

    Bodies of infinite mass and deforming bodies do not react.

    Parameters
    ----------
    restitution : float
        Separation speed divided by approach speed, 0 to 1. Default: 1.
    collapse_time : float
        Time, s. With restitution below 1, a body that is hit again within this time of its last contact bounces with
        restitution 1, which prevents infinitely many contacts in finite time (the TC model).

    Raises
    ------
    InvalidInputError
        A value is out of range.
    """

    restitution: float = 1.0
    collapse_time: float = COLLAPSE_TIME

    def __post_init__(self) -> None:
        restitution = validate.number("restitution", self.restitution)
        if not 0.0 <= restitution <= 1.0:
            raise InvalidInputError(f"restitution is {restitution}; expected a number from 0 to 1")
        collapse_time = validate.number("collapse_time", self.collapse_time)
        if collapse_time < 0.0:
            raise InvalidInputError(f"collapse_time is {collapse_time}; expected 0 or more seconds")
        object.__setattr__(self, "restitution", restitution)
        object.__setattr__(self, "collapse_time", collapse_time)
