"""Small deforming meshes for tests, and their contacts by brute force."""

from __future__ import annotations

import numpy as np

from carom.deform.triangles.pair_tester import PairTester
from carom.motion import Deforming


def cloth(n):
    """A flat square of 2 n^2 triangles in the plane z = 0: faces, vertices."""
    rows = np.arange((n + 1) ** 2).reshape(n + 1, n + 1)
    a, b, c, d = (rows[i : n + i, j : n + j].ravel() for i, j in ((0, 0), (1, 0), (1, 1), (0, 1)))
    at = np.stack(np.meshgrid(np.linspace(0, 1, n + 1), np.linspace(0, 1, n + 1), indexing="ij"), -1).reshape(-1, 2)
    faces = np.concatenate([np.stack([a, b, c], axis=1), np.stack([a, c, d], axis=1)])
    return faces, np.column_stack([at, np.zeros(len(at))])


def crumpling(seed, n=4, keys=3, amount=0.25):
    """A cloth that is flat at first and more crumpled at each key."""
    rng = np.random.default_rng(seed)
    faces, flat = cloth(n)
    where = np.stack([flat + amount * k * rng.normal(size=flat.shape) for k in range(keys)])
    return Deforming(faces, np.cumsum(rng.uniform(0.5, 2.0, keys)), where)


def soup(seed, n=20, keys=3, spread=1.0, offset=0.0, size=0.5):
    """Triangles that share no vertex, each on its own way."""
    rng = np.random.default_rng(seed)
    centres = spread * rng.normal(size=(keys, n, 1, 3)) + offset
    corners = centres + size * rng.normal(size=(keys, n, 3, 3))
    return Deforming(np.arange(3 * n).reshape(n, 3), np.arange(float(keys)), corners.reshape(keys, 3 * n, 3))


def four_columns(vertices):
    """Vertices as rows x, y, z and 0."""
    return np.pad(vertices, ((0, 0), (0, 1)))


def contacts_of_pairs(faces, start, end, pairs):
    """First contacts (fraction, a, b) of pairs of triangles over one interval, each pair tested over all of it."""
    found = []
    a, b = faces[pairs[:, 0]], faces[pairs[:, 1]]
    adjacent = (a[:, :, None] == b[:, None, :]).any(axis=(1, 2))
    for near in (False, True):
        some = np.ascontiguousarray(pairs[adjacent == near]).astype(np.int32)
        if len(some):
            windows = np.tile((0.0, 1.0), (len(some), 1))
            hits = PairTester(faces).run(
                four_columns(start), four_columns(end), some, windows, len(some), adjacent=near
            )
            found += [(t, *pair) for t, pair in zip(hits.fractions.tolist(), hits.pairs.tolist(), strict=True)]
    return sorted(found)


def all_contacts(motion, pairs=None):
    """(time, a, b) of all contacts of a mesh, interval by interval; pairs: default all."""
    if pairs is None:
        pairs = np.stack(np.triu_indices(len(motion.faces), 1), axis=1)
    found = []
    for key in range(len(motion.times) - 1):
        begin, end = motion.times[key : key + 2]
        rows = contacts_of_pairs(motion.faces, motion.vertices[key], motion.vertices[key + 1], pairs)
        found += [(begin + t * (end - begin), a, b) for t, a, b in rows]
    return found


def joined(first, second):
    """Two meshes with the same keys as one."""
    faces = np.concatenate([first.faces, second.faces + first.vertices.shape[1]])
    return Deforming(faces, first.times, np.concatenate([first.vertices, second.vertices], axis=1))
