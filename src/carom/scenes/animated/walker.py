"""A figure that starts to walk in a wide shirt: a large body, and a cloth that touches it in places."""

from __future__ import annotations

import math

import numpy as np

from carom.motion import Deforming
from carom.scenes.animated import figure as body
from carom.scenes.animated import shirt as cloth
from carom.scenes.animated.cloth import key_times


def walker(faces: int = 50_000, keys: int = 30, seed: int = 0) -> list[Deforming]:
    """A figure in a wide shirt starts to walk.

    The bodies are `figure`, a trunk with a head and four limbs that do not touch each other, and `shirt`, one cloth around
    trunk and upper arms; about `faces` triangles together, metres, 24 keys per second. Closed forms of time: the shirt lags
    behind and ripples, and touches the figure and itself only once both move. The seed shifts the ripples.
    """
    rng = np.random.default_rng(seed)
    # Two triangles cover a square of the spacing.
    spacing = math.sqrt(2.0 * (body.AREA + cloth.AREA) / faces)
    times = key_times(keys)
    phases = rng.uniform(0.0, 2.0 * np.pi, 2)
    figure, figure_faces = body.figure(times, spacing)
    shirt, shirt_faces = cloth.shirt(times, spacing, phases)
    return [Deforming(figure_faces, times, figure, name="figure"), Deforming(shirt_faces, times, shirt, name="shirt")]
