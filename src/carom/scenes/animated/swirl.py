"""A cloth held at its centre and whirled to and fro, which folds on itself from the first key to the last."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from carom.maths.trigonometry import cosines, sines
from carom.motion import Deforming
from carom.scenes.animated.cloth import Cloth, cells_for, key_times

Array = NDArray[np.float64]

_SIDE = 1.6  # Side of the cloth, m
_GRIP = 0.05  # Radius of the grip, m
_SETTLE = 14  # Keys before the first one that is kept: the cloth falls from flat to hanging
_SWING = 2.2  # Amplitude of the grip, rad
_PERIOD = 0.9  # Period of the grip, s


def swirl(faces: int = 8192, keys: int = 30, seed: int = 0) -> list[Deforming]:
    """A cloth held at its centre is whirled in both directions: heavy folding and self-contact.

    The only body is `cloth`, about `faces` triangles; metres, 24 keys per second. The seed crumples the cloth by a
    millimetre before it falls: the folds depend on it.
    """
    rng = np.random.default_rng(seed)
    cells = cells_for(faces)
    cloth = Cloth(_SIDE, cells, drag=0.8, thickness=0.8 * _SIDE / cells)
    held = np.sqrt(cloth.points[0] * cloth.points[0] + cloth.points[1] * cloth.points[1]) < _GRIP + 0.5 * _SIDE / cells
    x, y, _ = cloth.points[:, held]
    cloth.points[2] = rng.uniform(-1e-3, 1e-3, held.shape)

    def hold(points: Array, before: Array, now: float) -> None:
        angle = _SWING * sines(2.0 * np.pi * now / _PERIOD)
        points[0, held] = cosines(angle) * x - sines(angle) * y
        points[1, held] = sines(angle) * x + cosines(angle) * y
        points[2, held] = 0.0

    times = key_times(keys)
    return [Deforming(cloth.faces, times, cloth.record(times, hold, settle=_SETTLE), name="cloth")]
