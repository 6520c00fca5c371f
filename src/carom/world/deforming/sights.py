"""What a watch has seen of the motions of its two sides: whether they are the same now, and how that is saved."""

from __future__ import annotations

from math import inf

import numpy as np
from numpy.typing import NDArray

from carom.narrow.toi.status import NOT_YET
from carom.shapes import SurfaceShape
from carom.world.deforming.flightplans import Flightplans, Piece
from carom.world.deforming.rigid import Rigid
from carom.world.deforming.touches import Touches
from carom.world.saved.fields import LARGEST, Fields

Side = Flightplans | Rigid

_ANY_FACE = 2**31 - 1
_GONE = Piece(inf, inf, np.empty((0, 3)), np.empty((0, 3)))
"""Any piece that a body has left."""


def begin_of(side: Side) -> float:
    """Since when it moves as it does now."""
    return side.piece.begin if isinstance(side, Flightplans) else side.begin


def end_of(side: Side) -> float:
    """Its next key."""
    return side.piece.end if isinstance(side, Flightplans) else side.end


def seen_of(side: Side) -> tuple[Piece | Rigid, int]:
    """What tells whether a motion is the same as before, and how often its plans were changed."""
    return (side.piece, side.changes) if isinstance(side, Flightplans) else (side, 0)


def saved_sight(saved: Fields, name: str, side: Side) -> tuple[Piece | Rigid, int]:
    """What `seen_of` said of a side, from how it was saved."""
    if isinstance(side, Rigid):
        return side.in_state(saved.numbers(name, side.state.shape)), 0
    count, present = saved.numbers(name, (2,), 0.0).tolist()
    return side.piece if present else _GONE, int(count)


def _n_faces(side: Side) -> int:
    """Triangles that contacts can name; of a body that is tested as a whole any number that a key has room for."""
    if isinstance(side, Rigid) and not isinstance(side.shape, SurfaceShape):
        return _ANY_FACE
    return len(side.faces)


def are_faces(faces: NDArray[np.int64], a: Side, b: Side) -> NDArray[np.bool_]:
    """Which numbers (n, 2) are triangles of a and of b, or -1?"""
    return np.asarray((faces >= -1) & (faces < np.array([_n_faces(a), _n_faces(b)])))


def faces_of(keys: NDArray[np.int64]) -> NDArray[np.int64]:
    """The inverse of `face_keys`."""
    return np.stack([(keys >> 32) - 1, (keys & 0xFFFFFFFF) - 1], axis=1)


def saved_touches(saved: Fields, a: Side, b: Side) -> Touches:
    """Contacts whose triangles are those of a and b."""
    times = saved.times("touches_times", (None,))
    n = len(times)
    saved.require("touches_times", times, np.isfinite(times), "a time")
    faces = saved.array("touches_faces", np.int64, (n, 2))
    saved.require("touches_faces", faces, are_faces(faces, a, b), "a triangle, or -1")
    weights = saved.array("touches_weights", np.float64, (n, 6))
    saved.require("touches_weights", weights, ~(np.abs(weights) > LARGEST), "a weight, or NaN")
    return Touches(
        times,
        faces,
        saved.numbers("touches_points", (n, 3)),
        saved.numbers("touches_normals", (n, 3)),
        saved.numbers("touches_speeds", (n,)),
        saved.whole("touches_status", np.int64, (n,), 0, NOT_YET),
        weights,
    )


def same_sight(now: tuple[Piece | Rigid, int], then: tuple[Piece | Rigid, int]) -> bool:
    """Is it the very same motion?"""
    if isinstance(now[0], Rigid) and isinstance(then[0], Rigid):
        return now[0].same_as(then[0])
    return now[0] is then[0] and now[1] == then[1]


def has_changed(now: tuple[Piece | Rigid, int], then: tuple[Piece | Rigid, int]) -> bool:
    """Is the motion another one, rather than the next piece of the same one?"""
    if isinstance(now[0], Rigid) and isinstance(then[0], Rigid):
        return not now[0].keyed and not now[0].same_as(then[0])
    return now[1] != then[1]
