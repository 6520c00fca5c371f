"""All errors that carom raises. They derive from CaromError; input errors are also ValueError."""

from __future__ import annotations


class CaromError(Exception):
    """Base class of all carom errors."""


class InvalidInputError(CaromError, ValueError):
    """An argument is invalid; the message names argument, row, value and what was expected. Nothing was changed."""


class UnsupportedMotionError(CaromError, ValueError):
    """A motion that the called method cannot follow exactly."""


class SearchLimitError(CaromError):
    """A search for a first contact exceeded its limit of work; the message says how far it got.

    The bodies stay close to each other for a very long time. There is no contact before `time`, s. `row`: the motion of a
    batch, None for a single one.
    """

    def __init__(self, message: str, time: float, row: int | None) -> None:
        super().__init__(message)
        self.time = time
        self.row = row

    def __reduce__(self) -> tuple[type[SearchLimitError], tuple[str, float, int | None]]:
        return SearchLimitError, (str(self), self.time, self.row)


class UnsupportedPairError(CaromError, ValueError):
    """Two shapes for which no test exists."""


class UnknownBodyError(CaromError, KeyError):
    """The world has no body of this id: it was never used, or was removed."""

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


class AuditError(CaromError, AssertionError):
    """A certificate does not hold: the state of a kinetic structure is wrong. This is always a bug in carom."""


class RunFileError(CaromError):
    """A run file is corrupt, foreign, newer than this version, or missing. It is left unchanged."""


class SceneError(CaromError, ValueError):
    """A scene file or scene name is invalid; the message says where, and what was expected."""
