"""The paper's three animations in its sizes, cached for all measurements."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from carom.motion import Deforming
from carom.scenes.animated.animations import animation


@dataclass(frozen=True)
class Sizes:
    """Approximate numbers of deforming triangles, and number of keys."""

    faces: tuple[int, ...]
    keys: int


_SIZES = {
    "tablecloth": Sizes((2048, 4096, 8192, 16_384), 29),
    "swirl": Sizes((4096, 8192, 16_384, 33_000), 15),
    "walker": Sizes((35_000, 49_000, 90_000), 15),
}
"""Fewer keys for the larger meshes, to save time. Windows of the chord front are full, as in longer animations."""
_QUICK = {"tablecloth": Sizes((200, 450), 12), "swirl": Sizes((200, 450), 8), "walker": Sizes((4000,), 5)}


def sizes(quick: bool) -> Mapping[str, Sizes]:
    """Return the measured sizes of each scene."""
    return _QUICK if quick else _SIZES


@cache
def bodies_of(name: str, faces: int, keys: int) -> tuple[Deforming, ...]:
    """Return the bodies of an animation, one or two."""
    return tuple(animation(name, faces=faces, keys=keys))


def deforming_faces(bodies: tuple[Deforming, ...]) -> int:
    """Return the number of triangles of all deforming bodies."""
    return sum(len(body.faces) for body in bodies if not body.is_still)
