"""Twins of intrinsics on single precision: deform.chord_lanes, bit for bit, and narrow.wide_boxes, in double precision."""

from __future__ import annotations

import numpy as np

from plain_python.addresses import array_at
from plain_python.lanes import bits, larger

_FACING = np.array([3, 4, 5, 0, 1, 2, 6, 7])
_SLACK = 16.0 * 2.0**-24
_WIDTH = 8
_NORMAL_ROUNDING = 16.0 * 2.0**-24
_PAST_ROUNDING = 2.0 * (1.0 + 2.0**-20)


def sides_apart(boxes, a, b):
    sums = boxes[a].reshape(2, 8) + boxes[b].reshape(2, 8)[:, _FACING]
    return bits((sums < 0.0).all(axis=0))


def boxes_meet(boxes, a, b):
    return not (boxes[a] + boxes[b][_FACING] < 0.0).any()


def meeting_intervals(boxes, a, b):
    sums = boxes[a].reshape(-1, 8) + boxes[b].reshape(-1, 8)[:, _FACING]
    apart = (sums[:-1] < 0) & (sums[1:] < 0)
    # A row that has no next one is never shown apart.
    shown = [*apart.any(axis=1).tolist(), *[False] * (8 - len(sums))]
    return sum(1 << (8 * k + 7) for k, side in enumerate(shown) if not side)


def meeting_window(boxes, a, b, odd):
    flat = boxes.reshape(-1)
    keys = flat[a : a + 16].reshape(2, 8) + flat[b : b + 16].reshape(2, 8)[:, _FACING]
    begin, end = keys[::-1].astype(np.float32) if odd else keys.astype(np.float32)
    with np.errstate(all="ignore"):
        crossing = begin / (begin - end)
    first = np.where(begin < 0.0, crossing * np.float32(1.0 - _SLACK), np.float32(0.0))
    last = np.where(end < 0.0, crossing * np.float32(1.0 + _SLACK), np.float32(1.0))
    return float(_most(first)), float(-_most(-last))


def put_normal(start, end, i, j, k, normals, f):
    one, two = (np.array([(x[c] - x[i])[:3] for x in (start, end)], np.float32) for c in (j, k))
    rows = np.zeros((4, 4), np.float32)
    near = max(np.abs(one).max(), np.abs(two).max()) < 1e10
    for c in range(4):
        u, v = one[c // 2], two[c % 2]
        plus, minus = np.roll(u, -1) * np.roll(v, -2), np.roll(u, -2) * np.roll(v, -1)
        bound = (np.abs(plus) + np.abs(minus)).max() * np.float32(_NORMAL_ROUNDING)
        rows[:3, c] = plus - minus
        rows[3, c] = bound if near and bound > 1e-33 else np.inf
    normals[f] = rows.reshape(-1)


def mean_normal(normals, faces, begin, n):
    total = np.zeros(16, np.float32)
    for f in faces[begin : begin + n]:
        total = total + normals[f]
    sums = total[[0, 4, 8]] + total[[3, 7, 11]]
    size = np.float32(np.abs(sums[0]) + np.abs(sums[1]) + np.abs(sums[2]))
    with np.errstate(all="ignore"):
        return tuple(float(x) for x in sums / size)


def face_one_way(normals, faces, begin, n, x, y, z):
    direction = np.array([x, y, z], np.float32)
    size = (np.abs(direction[0]) + np.abs(direction[1])) + np.abs(direction[2])
    along = np.append(direction, size * np.float32(-_PAST_ROUNDING)).astype(np.float32)
    with np.errstate(all="ignore"):
        x, y, z, slack = np.moveaxis(normals[faces[begin : begin + n]].reshape(-1, 4, 4) * along[:, None], 1, 0)
        return bool(((x + y) + (z + slack) > 0.0).all())


def _most(lanes):
    while len(lanes) > 1:
        low, high = np.split(lanes, 2)
        lanes = np.where(low > high, low, high)
    return lanes[0]


def _fixed(fixed, pose):
    """Pose of the other tree in the axes of the fixed box, its half sizes and its radius."""
    box = array_at(fixed, (15 * _WIDTH + 1,), np.float32)[::_WIDTH].astype(float)
    pose = array_at(pose, (12,), np.float64)
    axes = box[3:12].reshape(3, 3)
    return axes, axes @ pose[:9].reshape(3, 3), axes @ (pose[9:] - box[:3]), box[12:15, None], box[15]


class _Placed:
    """Eight boxes in the axes of the fixed one: centres d (3, 8), axes c (3, 3, 8) by row and axis, half sizes e (3, 8)."""

    def __init__(self, turn, shift, lanes) -> None:
        columns = array_at(lanes, (16, _WIDTH), np.float32).astype(float)
        self.d = turn @ columns[:3] + shift[:, None]
        self.c = np.einsum("rx,kxl->rkl", turn, columns[3:12].reshape(3, 3, _WIDTH))
        self.a = np.abs(self.c)
        self.e, self.radius = columns[12:15], columns[15]

    def along(self, vector):
        """Components (3, 8) of vectors along the axes of the eight boxes."""
        return np.einsum("rkl,rl->kl", self.c, vector)

    def crossed(self, vector):
        """Components (9, 8) along the cross products of the axes, each with the reach of the two boxes left to `reach`."""
        parts = []
        for r in range(3):
            for k in range(3):
                r1, r2 = (r + 1) % 3, (r + 2) % 3
                parts.append(vector[r2] * self.c[r1, k] - vector[r1] * self.c[r2, k])
        return np.array(parts)

    def reach(self, f):
        """Half lengths (9, 8) of both boxes together along the same cross products."""
        e, a, parts = self.e, self.a, []
        for r in range(3):
            for k in range(3):
                r1, r2, k1, k2 = (r + 1) % 3, (r + 2) % 3, (k + 1) % 3, (k + 2) % 3
                parts.append(f[r1] * a[r2, k] + f[r2] * a[r1, k] + e[k1] * a[r, k2] + e[k2] * a[r, k1])
        return np.array(parts)


def _bounds(placed, f, radius, slack, far):
    """Lower bounds (8,) of the distances, or minus the overlaps."""
    d, e, a = placed.d, placed.e, placed.a
    along = np.abs(placed.along(d))
    length = np.linalg.norm(d, axis=0)
    ours = np.abs(d) - (f + slack) - np.einsum("rkl,kl->rl", a, e)
    theirs = along - (e + slack) - np.einsum("rkl,ro->kl", a, f)
    apart = length - (radius + placed.radius + slack)
    bound = np.vstack([ours, theirs, apart]).max(axis=0)
    crossing = (np.abs(placed.crossed(d)) - placed.reach(f)).max(axis=0) - slack
    bound = np.where(crossing > 0.0, larger(bound, crossing), bound)
    if not far:
        return bound
    p, q = np.maximum(ours, 0.0), np.maximum(theirs, 0.0)
    p_length = np.linalg.norm(p, axis=0)
    centres = (length**2 - (np.abs(d) * f).sum(axis=0) - (along * e).sum(axis=0)) / (length + 1e-30) - slack
    signs = np.where(d < 0.0, -p, p)
    across = (d * signs).sum(axis=0) - (p * f).sum(axis=0) - (np.abs(placed.along(signs)) * e).sum(axis=0)
    bridge = across / (p_length + 1e-30) - slack
    beyond = np.vstack([p_length, np.linalg.norm(q, axis=0), centres, bridge]).max(axis=0)
    return np.where(beyond > 0.0, larger(bound, beyond), bound)


def _eight_bounds(fixed, pose, slack, cut, lanes, keys, far):
    _, turn, shift, f, radius = _fixed(fixed, pose)
    bound = _bounds(_Placed(turn, shift, lanes), f, radius, slack, far)
    array_at(keys, (_WIDTH,), np.float32)[:] = bound
    return bits(~(bound > cut))


def eight_overlaps(fixed, pose, slack, cut, lanes, keys):
    return _eight_bounds(fixed, pose, slack, cut, lanes, keys, far=False)


def eight_distances(fixed, pose, slack, cut, lanes, keys):
    return _eight_bounds(fixed, pose, slack, cut, lanes, keys, far=True)


def eight_windows(fixed, pose, rate, slack, cut, lanes, keys):
    axes, turn, shift, f, _ = _fixed(fixed, pose)
    placed = _Placed(turn, shift, lanes)
    speed = np.repeat((axes @ array_at(rate, (3,), np.float64))[:, None], _WIDTH, axis=1)
    offsets = np.vstack([placed.d, placed.along(placed.d), placed.crossed(placed.d)])
    speeds = np.vstack([speed, placed.along(speed), placed.crossed(speed)])
    ours = f + np.einsum("rkl,kl->rl", placed.a, placed.e)
    theirs = placed.e + np.einsum("rkl,ro->kl", placed.a, f)
    reaches = np.vstack([ours, theirs, placed.reach(f)]) + slack
    begin, end = np.full(_WIDTH, -1e30), np.full(_WIDTH, 1e30)
    with np.errstate(all="ignore"):
        paces = 1.0 / speeds
        for offset, pace, reach in zip(offsets, paces, reaches, strict=True):
            low, high = -offset * pace - reach * np.abs(pace), -offset * pace + reach * np.abs(pace)
            begin, end = larger(begin, low), np.where(end > high, high, end)
        begin, end = begin - np.abs(begin) * 2e-6, end + np.abs(end) * 2e-6
        array_at(keys, (_WIDTH,), np.float32)[:] = begin
    return bits(~((begin > cut) | (begin > end) | (end < 0.0)))
