"""A tree over a million triangles: time to build, memory, and distance queries."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from carom.bench.progress import Bar
from carom.bench.queries.models import near_contact
from carom.bench.queries.volume_types import tree_bytes
from carom.bench.report import Table
from carom.bench.turns import take_turns, timed
from carom.errors import AuditError
from carom.narrow.mesh.mesh_pair import MeshDistances, mesh_distance
from carom.pose import poses, relative
from carom.scenes.meshes import asteroid
from carom.shapes import Mesh
from carom.trees.obb.bvh8 import wide_tree_of
from carom.trees.obb.tree import build_obb_tree

COLUMNS = (
    "triangles", "build, s", "of it, boxes", "bytes / triangle", "of it, double-precision tree", "distance queries / s",
    "volume tests", "triangle tests",
)  # fmt: skip
_ROUGHNESS = 0.5
_CLEARANCE = 0.02  # Least distance of the two rocks, radii


def measure_large(quick: bool, bar: Bar) -> Table:
    """Measure a bumpy rock of 12 n^2 triangles with itself; AuditError if single and double precision boxes disagree."""
    n, n_poses, repeats = (16, 20, 1) if quick else (289, 1000, 3)
    for _ in bar.track([0], "a million triangles"):
        vertices, faces = asteroid(1, _ROUGHNESS, n)
        build_obb_tree(vertices, faces[:100])
        boxes = timed(partial(build_obb_tree, vertices, faces))
        tree = boxes.result
        wide = timed(partial(wide_tree_of, tree))
        # Contacts of coarse copies show where the fine ones are near; the clearance exceeds their difference.
        placed = near_contact(Mesh(*asteroid(1, _ROUGHNESS, min(n, 24))), n_poses, seed=9)
        placed[:, :3, 3] *= 1.0 + 2.0 * _CLEARANCE
        rots, shifts = relative(poses("a", None), poses("b", placed))
        some = n_poses // 10
        exact = mesh_distance(tree, tree, rots[:some], shifts[:some], threads=1, wide=False).distance
        run = take_turns(
            {"carom": partial(mesh_distance, tree, tree, rots, shifts, threads=1)}, repeats, partial(_require, exact)
        )["carom"]
        tests = run.result.tests.mean(axis=0)
        m = len(faces)
        row = (
            m, boxes.seconds + wide.seconds, boxes.seconds, tree_bytes(tree, True) / m, tree_bytes(tree, False) / m,
            n_poses / run.seconds, float(tests[0]), float(tests[1]),
        )  # fmt: skip
    return Table("queries_million", "A bumpy rock against itself, near contact, one thread", COLUMNS, [row])


def _require(exact: NDArray[np.float64], who: str, found: MeshDistances) -> None:
    if np.abs(found.distance[: len(exact)] - exact).max() > 1e-12:
        raise AuditError(f"a million triangles: {who} gives another distance with boxes in single precision")
