"""BSP-trees of closed polyhedra: space is cut by the planes of faces until every cell is inside or outside.

An auto-partition (the planes are those of the faces) with few splits: of some random faces it takes the one whose plane cuts
the fewest others and gives halves of similar size (Thibault and Naylor 1987; Hubbard 1995, section IX).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from carom.errors import AuditError, InvalidInputError
from carom.trees.winding.winding_number import is_closed, winding_numbers

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

OUTSIDE = -1
INSIDE = -2
_TRIES = 32
_SPLIT_COST = 8.0  # Weight of a cut face, in faces of imbalance
_ON_PLANE = 1e-9  # Distance, relative to the size, within which a corner is on a plane
_PROBE = 1e-7  # Distance, relative to the size, of the point that classifies a cell from the plane of the cell


@dataclass(frozen=True, eq=False)
class BspTree:
    """planes (n, 4): unit normal and offset; children (n, 2): node in front (normal · x > offset) and behind, or a label.

    depth: length of the longest path; tris (m, 9): the faces, outwards; probes (p, 3): a vertex of each connected part;
    low, high (3,): bounding box; relabelled: number of cells that the winding number corrected.
    """

    planes: Floats
    children: NDArray[np.int32]
    depth: int
    tris: Floats
    probes: Floats
    low: Floats
    high: Floats
    relabelled: int

    def inside(self, points: Floats) -> NDArray[np.bool_]:
        """Return which of the points (n, 3) are in inside cells."""
        node = np.zeros(len(points), np.int64)
        for _ in range(self.depth):
            going = np.flatnonzero(node >= 0)
            plane = self.planes[node[going]]
            behind = (points[going] * plane[:, :3]).sum(axis=1) < plane[:, 3]
            node[going] = self.children[node[going], behind.astype(np.int64)]
        return node == INSIDE

    def check(self, points: int = 2000, seed: int = 0) -> None:
        """Raise AuditError unless random points agree with the winding number, except on the surface."""
        rng = np.random.default_rng(seed)
        where = rng.uniform(self.low, self.high, (points, 3))
        winding = np.abs(winding_numbers(self.tris, where))
        clear = np.abs(winding - np.round(winding)) < 1e-6
        wrong = clear & ((winding > 0.5) != self.inside(where))
        if wrong.any():
            point = where[int(np.argmax(wrong))].tolist()
            raise AuditError(f"{int(wrong.sum())} of {points} points are on the wrong side, the first at {point}")


def build_bsp_tree(vertices: Floats, faces: Ints, seed: int = 0) -> BspTree:
    """Return the BSP-tree of the closed surface vertices[faces]; InvalidInputError if it is open. 626 triangles take a second.

    Cells are labelled by the winding number of a point in each, not by the orientation of faces, which slivers of overlapping
    parts could falsify.
    """
    if not is_closed(vertices, faces):
        raise InvalidInputError("faces are not closed; a BSP-tree needs a surface with an inside")
    tris = np.ascontiguousarray(vertices[faces])
    size = float(np.ptp(vertices, axis=0).max())
    planes, children, probes, depth = _partition(tris, size, np.random.default_rng(seed))
    rows = np.array([(node, side) for node, side, _ in probes], np.int64).reshape(-1, 2)
    points = np.array([point for _, _, point in probes])
    flat = tris.reshape(-1, 9)
    inside = np.abs(winding_numbers(flat, points)) > 0.5
    label = np.where(inside, INSIDE, OUTSIDE)
    children[rows[:, 0], rows[:, 1]] = label
    relabelled = int((label != np.where(rows[:, 1] == 0, OUTSIDE, INSIDE)).sum())
    corners = tris.reshape(-1, 3)
    return BspTree(
        planes,
        children,
        depth,
        flat,
        _part_vertices(vertices, faces),
        corners.min(axis=0),
        corners.max(axis=0),
        relabelled,
    )


def _partition(
    tris: Floats, size: float, rng: np.random.Generator
) -> tuple[Floats, NDArray[np.int32], list[tuple[int, int, Floats]], int]:
    """Return (planes, children with open leaves, (node, side, point in the cell) of each leaf, depth)."""
    normal = np.cross(tris[:, 1] - tris[:, 0], tris[:, 2] - tris[:, 0])
    length = np.linalg.norm(normal, axis=1)
    # A triangle thinner than the tolerance has no meaningful plane and bounds nothing.
    broad = length > _ON_PLANE * size * np.linalg.norm(tris[:, 1] - tris[:, 0], axis=1)
    normal = normal[broad] / length[broad, None]
    plane_of = np.column_stack([normal, (normal * tris[broad, 0]).sum(axis=1)])
    near = _ON_PLANE * size
    planes: list[Floats] = []
    children: list[list[int]] = []
    leaves: list[tuple[int, int, Floats]] = []
    depth = 0
    todo = [(tris[broad], np.arange(len(plane_of)), -1, 0, 1)]
    while todo:
        pieces, owner, above, side, level = todo.pop()
        depth = max(depth, level)
        node = len(planes)
        if above >= 0:
            children[above][side] = node
        plane = plane_of[owner[_best_plane(pieces, plane_of[owner], near, rng)]]
        planes.append(plane)
        children.append([0, 0])
        height = pieces @ plane[:3] - plane[3]
        lowest, highest = height.min(axis=1), height.max(axis=1)
        on = (lowest >= -near) & (highest <= near)
        cut = (lowest < -near) & (highest > near)
        own = pieces[on]
        area = np.linalg.norm(np.cross(own[:, 1] - own[:, 0], own[:, 2] - own[:, 0]), axis=1)
        middle = own[int(np.argmax(area))].mean(axis=0)
        halves, halves_owner = _cut(pieces[cut], height[cut], owner[cut], near)
        for which, whole in ((0, ~on & ~cut & (highest > near)), (1, ~on & ~cut & (lowest < -near))):
            rest = np.concatenate([pieces[whole], halves[which]])
            if len(rest):
                todo.append((rest, np.concatenate([owner[whole], halves_owner[which]]), node, which, level + 1))
            else:
                leaves.append((node, which, middle + (1.0 - 2.0 * which) * _PROBE * size * plane[:3]))
    return np.array(planes), np.array(children, np.int32), leaves, depth


def _best_plane(pieces: Floats, planes: Floats, near: float, rng: np.random.Generator) -> int:
    """Return the piece whose plane cuts few others and leaves similar numbers on its sides."""
    tried = np.arange(len(pieces)) if len(pieces) <= _TRIES else rng.choice(len(pieces), _TRIES, replace=False)
    height = np.tensordot(pieces, planes[tried, :3].T, axes=1) - planes[tried, 3]
    lowest, highest = height.min(axis=1), height.max(axis=1)
    front, back = highest > near, lowest < -near
    cost = _SPLIT_COST * (front & back).sum(axis=0) + np.abs(front.sum(axis=0) - back.sum(axis=0))
    return int(tried[np.argmin(cost)])


def _cut(pieces: Floats, height: Floats, owner: Ints, near: float) -> tuple[tuple[Floats, Floats], tuple[Ints, Ints]]:
    """Return the parts in front of and behind a plane, given the heights (k, 3) of the corners of pieces (k, 3, 3); and owners.

    The corner that is alone on its side becomes a triangle, the other two a quadrilateral of two triangles.
    """
    if len(pieces) == 0:
        return (pieces, pieces), (owner, owner)
    above = height > near
    below = height < -near
    # The single corner is the only one above or below; a corner on the plane goes with the others.
    only_above = above.sum(axis=1) == 1
    lone = np.where(only_above, above.argmax(axis=1), below.argmax(axis=1))
    rows = np.arange(len(pieces))
    order = (lone[:, None] + np.arange(3)) % 3
    a, b, c = (pieces[rows, order[:, k]] for k in range(3))
    ha, hb, hc = (height[rows, order[:, k]] for k in range(3))
    on_ab = a + (b - a) * (ha / (ha - hb))[:, None]
    on_ac = a + (c - a) * (ha / (ha - hc))[:, None]
    tips = np.stack([a, on_ab, on_ac], axis=1)
    stumps = np.concatenate([np.stack([on_ab, b, c], axis=1), np.stack([on_ab, c, on_ac], axis=1)])
    twice = np.concatenate([only_above, only_above])
    front = (
        np.concatenate([tips[only_above], stumps[~twice]]),
        np.concatenate([owner[only_above], np.tile(owner, 2)[~twice]]),
    )
    back = (
        np.concatenate([tips[~only_above], stumps[twice]]),
        np.concatenate([owner[~only_above], np.tile(owner, 2)[twice]]),
    )
    sides = [_broad(*part, near) for part in (front, back)]
    return (sides[0][0], sides[1][0]), (sides[0][1], sides[1][1])


def _broad(pieces: Floats, owner: Ints, near: float) -> tuple[Floats, Ints]:
    """Drop pieces thinner than the tolerance, which would never be used up."""
    edges = np.roll(pieces, -1, axis=1) - pieces
    longest = np.sqrt((edges**2).sum(axis=2).max(axis=1))
    double_area = np.linalg.norm(np.cross(edges[:, 0], edges[:, 1]), axis=1)
    keep = double_area > near * longest
    return pieces[keep], owner[keep]


def _part_vertices(vertices: Floats, faces: Ints) -> Floats:
    """Return one vertex of each connected part (p, 3); vertices at the same place are merged."""
    unique, place = np.unique(vertices, axis=0, return_inverse=True)
    corners = place.reshape(-1)[faces]
    n = len(unique)
    links = np.concatenate([corners[:, [0, 1]], corners[:, [1, 2]]])
    graph = coo_matrix((np.ones(len(links)), (links[:, 0], links[:, 1])), shape=(n, n))
    _, part = connected_components(graph, directed=False)
    used = np.unique(corners)
    _, first = np.unique(part[used], return_index=True)
    return np.ascontiguousarray(unique[used[first]])
