"""Every error carom raises. All derive from CaromError; input errors are also ValueError, so generic handlers catch them."""


class CaromError(Exception):
    """Base of all carom errors."""


class InvalidInputError(CaromError, ValueError):
    """An argument is wrong; the message names argument, row, value and what was expected. Nothing was changed."""


class UnsupportedMotionError(CaromError, ValueError):
    """A motion that the called method cannot follow exactly."""


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
