"""Every error carom raises. All derive from CaromError; input errors are also ValueError, so generic handlers catch them."""

from __future__ import annotations


class CaromError(Exception):
    """Base of all carom errors."""


class InvalidInputError(CaromError, ValueError):
    """An argument is wrong; the message names argument, row, value and what was expected. Nothing was changed."""


class UnsupportedMotionError(CaromError, ValueError):
    """A motion that the called method cannot follow exactly."""


class SearchLimitError(CaromError):
    """A search for a first contact came to the limit of its work before its end; the message says how far it got.

    Bodies that stay as near to each other as the tolerance for very long. There is no contact before `time`, s; what is
    after that is unknown. `row`: which motion of a batch, None for a single one.
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
    """A body id that the world does not hold (never given out, or removed)."""

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


class AuditError(CaromError, AssertionError):
    """A certificate does not hold: the state of a kinetic structure is wrong. Always a bug in carom."""


class RunFileError(CaromError):
    """A run file is corrupt, foreign, newer than this version, or not where it was said to be. It is left untouched."""


class SceneError(CaromError, ValueError):
    """A scene file or scene name is wrong; the message says where and what was expected."""
