"""A cloth held at its middle and whirled to and fro: it folds on itself from the first key to the last."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from carom.maths.trigonometry import cosines, sines
from carom.motion import Deforming
from carom.scenes.animated.cloth import Cloth, cells_for, key_times

Array = NDArray[np.float64]

_SIDE = 1.6  # Metres; side of the cloth
_GRIP = 0.05  # Metres around the middle that are held
_SETTLE = 14  # Keys that pass before the first one that is kept: the cloth falls from flat to hanging
_SWING = 2.2  # Radians that the grip turns to either side
_PERIOD = 0.9  # Seconds for a turn to both sides


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
