"""Answers of queries, deforming meshes, trees and files whose bits are recorded beside those of worlds.

A scene here is a function that returns arrays, or results that hold arrays.
"""

from __future__ import annotations

import itertools
import json
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import carom
from carom.scenes import animation
from carom.scenes.meshes import ring

Answers = list[Any]


def _rotations(rng: np.random.Generator, n: int) -> np.ndarray:
    """Rotations (n, 3, 3) from products and square roots alone."""
    quats = rng.uniform(-1.0, 1.0, (n, 4))
    w, x, y, z = (quats / np.sqrt((quats * quats).sum(axis=1))[:, None]).T
    rows = (
        1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y),
        2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
        2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y),
    )  # fmt: skip
    return np.stack(rows, axis=1).reshape(n, 3, 3)


def _poses(seed: int, n: int, reach: float) -> np.ndarray:
    rng = np.random.default_rng(seed)
    poses = np.tile(np.eye(4), (n, 1, 1))
    poses[:, :3, :3] = _rotations(rng, n)
    poses[:, :3, 3] = rng.uniform(-reach, reach, (n, 3))
    return poses


def solids() -> list[carom.shapes.Shape]:
    """One of every kind that a world takes and that has an end."""
    corners = np.random.default_rng(7).uniform(-0.7, 0.7, (14, 3))
    return [
        carom.Sphere(0.6), carom.Box((1.0, 1.3, 0.7)), carom.Capsule(0.4, 0.9), carom.Cylinder(0.5, 1.1),
        carom.Cone(0.6, 1.2), carom.Convex(corners), carom.Mesh(*ring()),
    ]  # fmt: skip


def _shapes() -> list[carom.shapes.Shape]:
    ball, box, *others = solids()
    pieces = carom.Compound([(ball, _poses(8, 1, 0.5)[0]), (box, _poses(9, 1, 0.5)[0])])
    return [ball, box, *others, carom.HalfSpace((0.1, -0.2, 0.9), -0.4), pieces]


def _pairs() -> Iterator[tuple[int, Any, Any]]:
    shapes = _shapes()
    return ((k, *pair) for k, pair in enumerate(itertools.combinations_with_replacement(shapes, 2)))


def at_an_instant() -> Answers:
    """collide, gap, distance and penetration of every two shapes."""
    found: Answers = []
    for k, a, b in _pairs():
        at, there = _poses(100 + k, 5, 0.2), _poses(200 + k, 5, 1.2)
        hits = carom.collide(a, b, at, there, contacts="all", threads=1)
        found += [hits, hits.contacts, carom.distance(a, b, at, there), carom.gap(a, b, 0.2, at, there)]
        found.append(carom.penetration(a, b, at[:2], there[:2]))
    return found


def volumes() -> Answers:
    """Two meshes by each kind of bounding volume."""
    mesh, at, there = carom.Mesh(*ring()), _poses(1, 20, 0.1), _poses(2, 20, 1.5)
    return [
        call(mesh, mesh, at, there, volumes=kind)
        for kind in ("obb", "sphere", "aabb", "kdop18", "kdop26", "hull", "shell", "pss", "lss", "rss")
        for call in (carom.collide, carom.distance)
    ]


def flights() -> Answers:
    """Times of impact of every two shapes: straight, accelerated and turning, along keyframes, and casts."""
    found: Answers = []
    for k, a, b in _pairs():
        if isinstance(a, carom.HalfSpace) and isinstance(b, carom.HalfSpace | carom.Compound):
            continue
        rng = np.random.default_rng(300 + k)
        n, endless = 6, isinstance(a, carom.HalfSpace) or isinstance(b, carom.HalfSpace)
        places = rng.uniform(2.0, 3.0, (n, 3)) * np.where(rng.random((n, 3)) < 0.5, -1.0, 1.0)
        pulls = rng.uniform(-0.2, 0.2, (n, 3)) * (np.arange(n) % 2)[:, None]
        spins = rng.uniform(-2.0, 2.0, (n, 3)) * (np.arange(n) > 3)[:, None] * (not endless)
        turned = rng.uniform(-1.0, 1.0, (n, 4))
        moving = carom.Motions(places, -places, pulls, turned, spins)
        found.append(carom.time_of_impact(a, b, carom.Motion(), moving, 2.0))
        if not endless and k % 5 == 0:
            path = carom.Keyframes([0.0, 1.0, 2.0], [places[0], 0.1 * places[1], places[2]], turned[:3])
            hit = carom.time_of_impact(a, b, carom.Motion(spin=(0.3, 0.2, 0.1)), path, 2.0)
            cast = carom.shape_cast(a, [b, b], -2.0 * places[3], _placed(places[3]), np.tile(np.eye(4), (2, 1, 1)))
            found += [np.array([*each.point, *each.normal, each.time]) for each in (hit, cast) if each is not None]
    return found


def _placed(where: Any) -> np.ndarray:
    pose = np.eye(4)
    pose[:3, 3] = where
    return pose


def rays() -> Answers:
    """Rays at every shape."""
    rng = np.random.default_rng(4)
    origins, directions = rng.uniform(-3.0, 3.0, (40, 3)), rng.uniform(-1.0, 1.0, (40, 3))
    return [carom.ray_cast(shape, origins, directions, _poses(5, 1, 0.3)[0]) for shape in _shapes()]


def features() -> Answers:
    """Vertex against face and edge against edge."""
    rng = np.random.default_rng(6)
    start, end = rng.uniform(-1.0, 1.0, (2, 300, 4, 3))
    return [
        call(start, end, **how)
        for call in (carom.vertex_face_toi, carom.edge_edge_toi)
        for how in ({}, {"tight": True}, {"separation": 0.1})
    ]


def sphere_trees() -> Answers:
    """Sphere-trees, and pairs and crowds that go down them."""
    mesh = carom.Mesh(*ring())
    trees = [carom.time_critical.SphereTree.build(mesh, 2, method) for method in ("octree", "medial", "annealed")]
    pair, crowd = carom.time_critical.ProgressivePair(trees[0], trees[1]), carom.time_critical.ProgressiveCrowd(trees)
    found: Answers = [array for tree in trees for array in (tree.spheres, tree.depths, tree.child_start)]
    for pose in _poses(11, 10, 1.5):
        known = pair.query(None, pose)
        found.append(np.array([known.hit, known.level, known.exact, known.error_bound, known.steps]))
    return [*found, crowd.query([(0, 1), (0, 2), (1, 2)], _poses(12, 3, 0.8))]


def space_time_bounds() -> Answers:
    """Bounds of guided bodies, and when two of them can first meet."""
    rng = np.random.default_rng(13)
    bodies = [
        carom.Guided(*rng.uniform(-5.0, 5.0, (2, 3)), 1.0 + k % 3, 2.0, rng.uniform(-1.0, 1.0, 3) if k % 2 else None)
        for k in range(30)
    ]
    bounds = carom.time_critical.space_time_bounds(bodies, rng.uniform(0.1, 0.3, 30))
    first = [
        carom.time_critical.earliest_intersection(bounds, method)
        for method in ("fast", "brute-force", "projection", "subdivision")
    ]
    return [bounds.sides, bounds.planes, np.array(first)]


def deforming_meshes() -> Answers:
    """Separation lists that are steered, kinetic trees, and checks of a dressed figure."""
    cloth, table = animation("tablecloth", faces=200, keys=12)
    steered = carom.deform.SeparationList(cloth, table, selves=True)
    first = steered.advance(0.25)
    steered.change_flightplans([3, 50], [(0.0, 0.1, -1.0), (0.3, 0.0, -0.5)])
    tree = carom.deform.KineticTree.following(cloth)
    tree.advance(0.3)
    return [first, steered.advance(0.45), steered.positions(), *tree.boxes(), carom.contacts(cloth, table)]


def dressed_figure() -> Answers:
    """The keys of a figure that walks in a shirt, and where the two touch."""
    figure, shirt = animation("walker", faces=4000, keys=3)
    return [figure.vertices, shirt.vertices, carom.contacts(figure, shirt)]


def boxes() -> Answers:
    """Pairs of boxes, at rest and moving."""
    rng = np.random.default_rng(14)
    low = rng.uniform(0.0, 8.0, (400, 3))
    high = low + rng.uniform(0.0, 1.0, (400, 3))
    moving = carom.boxes.BoxPairs(low, high)
    shift = rng.uniform(-0.3, 0.3, (400, 3))
    began, ended = moving.update(low + shift, high + shift)
    return [carom.boxes.box_pairs(low, high), began, ended, moving.pairs()]


def gas_report() -> Answers:
    """What is measured in a gas, and the times at which fixed steps, bisection and prediction see contacts."""
    from carom.physics import GasMeter
    from carom.scenes import scene
    from carom.schedule import Bisection, FixedStep, Prediction, System

    world = scene("gas", objects=60, packing=0.2, periodic=1).build()
    meter = GasMeter(world)
    meter.add(world.advance(0.5))
    report = meter.report()
    values = np.array([v for v in vars(report).values() if isinstance(v, float)])
    rng = np.random.default_rng(15)
    bodies = [
        (carom.Box((0.5, 0.6, 0.7)), carom.Motion(place, -0.5 * place, spin=rng.uniform(-1.0, 1.0, 3)))
        for place in rng.uniform(-3.0, 3.0, (6, 3))
    ]
    seen = [how.run(System(bodies), 1.5) for how in (FixedStep(0.1), Bisection(0.1), Prediction())]
    return [values, *(np.array([(s.time, s.a, s.b) for s in each]) for each in seen)]


def files() -> Answers:
    """Vertices of meshes that files turn, scale and blend."""
    with tempfile.TemporaryDirectory() as folder:
        return [mesh.vertices for mesh in (_gltf(Path(folder)), _collada(Path(folder)))]


def _gltf(folder: Path) -> Any:
    """A triangle fan below two turned and scaled nodes."""
    rng = np.random.default_rng(16)
    corners = rng.uniform(-1.0, 1.0, (12, 3)).astype(np.float32)
    rows = np.array([(0, k, k + 1) for k in range(1, 11)], np.uint16)
    (folder / "fan.bin").write_bytes(corners.tobytes() + rows.tobytes())
    document = {
        "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}],
        "nodes": [
            {"rotation": [0.1, 0.2, 0.3, 0.9273618495495703], "translation": [0.3, 0.1, 0.2], "children": [1]},
            {"rotation": [0.5, -0.1, 0.2, 0.8366600265340756], "scale": [1.1, 0.7, 1.3], "mesh": 0},
        ],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
        "buffers": [{"uri": "fan.bin", "byteLength": corners.nbytes + rows.nbytes}],
        "bufferViews": [
            {"buffer": 0, "byteLength": corners.nbytes},
            {"buffer": 0, "byteOffset": corners.nbytes, "byteLength": rows.nbytes},
        ],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": 12, "type": "VEC3"},
            {"bufferView": 1, "componentType": 5123, "count": 30, "type": "SCALAR"},
        ],
    }  # fmt: skip
    (folder / "fan.gltf").write_text(json.dumps(document))
    return carom.load(folder / "fan.gltf")


def _collada(folder: Path) -> Any:
    """The same for COLLADA, turned by angles."""
    corners = np.random.default_rng(17).uniform(-1.0, 1.0, (9, 3))
    rows = " ".join(f"0 {k} {k + 1}" for k in range(1, 8))
    (folder / "fan.dae").write_text(
        f"""<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1"><library_geometries><geometry id="g"><mesh>
<source id="s"><float_array id="f" count="27">{" ".join(map(repr, corners.ravel().tolist()))}</float_array>
<technique_common><accessor source="#f" count="9" stride="3"><param name="X" type="float"/><param name="Y" type="float"/>
<param name="Z" type="float"/></accessor></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#s"/></vertices>
<triangles count="7"><input semantic="VERTEX" source="#v" offset="0"/><p>{rows}</p></triangles></mesh></geometry>
</library_geometries><library_visual_scenes><visual_scene id="w"><node><rotate>0.3 0.2 0.9 37</rotate>
<node><translate>0.1 0.2 0.3</translate><rotate>1 0.5 0.25 -71.5</rotate><scale>1.1 0.9 1.3</scale>
<instance_geometry url="#g"/></node></node></visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#w"/></scene></COLLADA>"""
    )
    return carom.load(folder / "fan.dae")


ANSWERS: dict[str, Callable[[], Answers]] = {
    "at an instant": at_an_instant,
    "volumes": volumes,
    "flights": flights,
    "rays": rays,
    "features": features,
    "sphere trees": sphere_trees,
    "space-time bounds": space_time_bounds,
    "deforming meshes": deforming_meshes,
    "dressed figure": dressed_figure,
    "boxes": boxes,
    "gas report": gas_report,
    "files": files,
}
