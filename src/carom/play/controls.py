"""Controls of a ship, by keys or by a script."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from carom.errors import InvalidInputError

_TURNS = {
    "left": (0.0, 0.0, 1.0),
    "right": (0.0, 0.0, -1.0),
    "up": (0.0, 1.0, 0.0),
    "down": (0.0, -1.0, 0.0),
    "roll-left": (-1.0, 0.0, 0.0),
    "roll-right": (1.0, 0.0, 0.0),
}
WORDS = ("thrust", *_TURNS)
"""The words of controls."""


@dataclass(frozen=True)
class Controls:
    """thrust: fraction of the engine's thrust, 0 to 1. turn: roll to the right, pitch up, yaw to the left, -1 to 1 each."""

    thrust: float = 0.0
    turn: tuple[float, float, float] = (0.0, 0.0, 0.0)

    @staticmethod
    def of(words: Iterable[str]) -> Controls:
        """Return controls from words of WORDS; opposite ones cancel."""
        turn = [0.0, 0.0, 0.0]
        thrust = 0.0
        for word in set(words):
            if word == "thrust":
                thrust = 1.0
                continue
            if word not in _TURNS:
                raise InvalidInputError(f"{word!r} is nothing that a ship can do; expected {', '.join(WORDS)}")
            for axis, share in enumerate(_TURNS[word]):
                turn[axis] += share
        return Controls(thrust, (turn[0], turn[1], turn[2]))


def read_script(path: Path) -> list[Controls]:
    """Return controls frame by frame from a text file: lines of a number of frames and controls, such as `30 thrust left`.

    Empty lines and text after # are ignored. InvalidInputError, with the line, for anything else.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInputError(f"{path}: cannot be read as a script: {error}") from None
    frames: list[Controls] = []
    for number, line in enumerate(lines, start=1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        if not words[0].isdecimal() or len(words[0]) > 7 or not 0 < int(words[0]) <= MOST_FRAMES:
            raise InvalidInputError(f"{path}, line {number}: {words[0]!r} is no number of frames, 1 to {MOST_FRAMES:,}")
        try:
            frames += [Controls.of(words[1:])] * int(words[0])
        except InvalidInputError as error:
            raise InvalidInputError(f"{path}, line {number}: {error}") from None
    return frames


MOST_FRAMES = 1_000_000
