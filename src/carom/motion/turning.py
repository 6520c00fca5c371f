"""Orientations that turn at a constant rate, in batches."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from carom.maths.fixed_order import dot, length
from carom.maths.trigonometry import quarter_arc, sines_cosines

Array = NDArray[np.float64]


def turned_quaternions(quats: Array, spins: Array, dt: Array) -> Array:
    """Return unit quaternions (n, 4) w, x, y, z after dt (n,) seconds of spin (n, 3), rad/s in world axes."""
    rate = length(spins)
    sine, w = sines_cosines(0.5 * rate * dt)
    scale = np.divide(sine, rate, out=0.5 * dt + 0.0 * rate, where=rate > 0.0)
    v = spins * scale[:, None]
    q, u = quats[:, 0], quats[:, 1:]
    turned = np.empty(np.broadcast_shapes(quats.shape, (len(w), 1)))
    turned[:, 0] = w * q - dot(v, u)
    turned[:, 1:] = w[:, None] * u + q[:, None] * v
    for k in range(3):  # the cross product; np.cross takes five times as long
        turned[:, 1 + k] += v[:, (k + 1) % 3] * u[:, (k + 2) % 3] - v[:, (k + 2) % 3] * u[:, (k + 1) % 3]
    return np.asarray(turned / length(turned)[:, None])


def rotations(quats: Array) -> Array:
    """Return rotations (n, 3, 3) of unit quaternions (n, 4), from shape axes to world axes."""
    w, x, y, z = quats.T
    out = np.empty((len(quats), 3, 3))
    out[:, 0, 0], out[:, 1, 1], out[:, 2, 2] = 1 - 2 * (y * y + z * z), 1 - 2 * (x * x + z * z), 1 - 2 * (x * x + y * y)
    out[:, 0, 1], out[:, 1, 0] = 2 * (x * y - w * z), 2 * (x * y + w * z)
    out[:, 0, 2], out[:, 2, 0] = 2 * (x * z + w * y), 2 * (x * z - w * y)
    out[:, 1, 2], out[:, 2, 1] = 2 * (y * z - w * x), 2 * (y * z + w * x)
    return out


def spin_between(first: Array, second: Array, dt: float) -> Array:
    """Return the spin (3,), rad/s in world axes, that turns quaternion `first` into `second` in dt seconds, the shorter way."""
    a, b = first, second if float(dot(first, second)) >= 0.0 else -second
    w = float(dot(a, b))
    v = a[0] * b[1:] - b[0] * a[1:] - np.cross(b[1:], a[1:])
    sine = float(length(v))
    if sine == 0.0:
        return np.zeros(3)
    return np.asarray(v * (2.0 * quarter_arc(sine, w) / (sine * dt)))
