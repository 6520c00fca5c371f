"""Public callables with good arguments, as source: what `fuzz.subjects.types` calls with values of every type."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


class Code(str):
    """An argument that is the source of an object."""


class Word(str):
    """An argument that is one of some words, or any text."""


class Rows(list):  # type: ignore[type-arg]
    """An argument that is an array of whole numbers."""


@dataclass(frozen=True)
class Target:
    """setup: statements before the call; call: what is called; good: its arguments by name; look: what it may have changed.

    Floats and lists of them may be given in any type of numbers; int is for whole numbers, bool for truth values.
    """

    call: str
    good: dict[str, Any]
    setup: str = ""
    look: str = "None"


BALL, BOX = Code("carom.Sphere(0.5)"), Code("carom.Box((1, 2, 0.5))")
_MESH = "carom.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1.0]], [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])"
_CORNERS = "[[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 0, 1], [1, 0, 1], [0, 1, 1]]"
_CLOTH = f"cloth = carom.Deforming([[0, 1, 2]], [0.0, 1.0], [{_CORNERS}])"
_WORLD = f"""{_CLOTH}
world = carom.World(response=carom.Elastic())
world.add(carom.Sphere(0.5), carom.Motion((5, 5, 5), (-1, -1, 0)))
world.add(cloth)
world.add(carom.Sphere(0.5), carom.Guided((9, 9, 9), (0, 0, 0), 1.0, 1.0))
world.add(carom.Box((1, 1, 1)), carom.Motion((1, 1, 3), (0, 0, -1)))"""
_PLAIN = """world = carom.World()
world.add(carom.Sphere(0.5), carom.Motion((5, 0, 0), (-1, 0, 0)))
world.add(carom.Box((1, 1, 1)))"""
_AHEAD = "[(c.time, c.a, c.b, c.point, c.normal) for c in world.advance(world.time + 1.5)]"
_LIST = f"{_CLOTH}\nlist_ = carom.deform.SeparationList(cloth)"
_TREE = "tree = carom.deform.KineticTree([[0, 1, 2]], [[0, 0, 0], [1, 0, 0], [0, 1, 0.0]])"
_POSE = [[0.0, -1.0, 0.0, 0.5], [1.0, 0.0, 0.0, 0.25], [0.0, 0.0, 1.0, -0.5], [0.0, 0.0, 0.0, 1.0]]
_SPHERES = f"tree = carom.time_critical.SphereTree.build({_MESH}, levels=1, method='octree')"
_FLY = Code("carom.Motion((3, 0, 0), (-1, 0, 0))")
_STEP = [[0.0, 0.0, 1.0], [0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]
_NEXT = [[0.25, 0.25, -1.0], [0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]
_TWO = [[0.5, 0.0, 0.0], [3.0, 0.0, 1.0]]
_QUERY = {"a": BALL, "b": BOX, "pose_a": _POSE, "pose_b": [_POSE, _POSE]}


def _of(setup: str, call: str, look: str = _AHEAD, **good: Any) -> Target:
    return Target(call, good, setup, look)


def _new(call: str, **good: Any) -> Target:
    return Target(f"carom.{call}", good)


TARGETS = [
    _new("Sphere", radius=1.5), _new("Box", extents=[1.0, 2.0, 0.5]), _new("Capsule", radius=0.5, height=2.0),
    _new("Cylinder", radius=0.5, height=2.0), _new("Cone", radius=0.5, height=2.0),
    _new("Ellipsoid", radii=[1.0, 2.0, 0.5]),
    _new("Convex", points=[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]),
    _new("Mesh", vertices=[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], faces=Rows([[0, 1, 2]])),
    _new("HalfSpace", normal=[0.0, 0.0, 2.0], offset=0.5),
    _new("Motion", position=[1.0, 2.0, 3.0], velocity=[0.5, 0.0, 1.0], acceleration=[0.0, 0.0, -8.0],
         orientation=[1.0, 0.0, 0.0, 1.0], spin=[0.0, 2.0, 0.0], start=0.5),
    _new("Motions", positions=_TWO, velocities=[0.5, 0.0, 1.0], orientations=[1.0, 0.0, 0.0, 1.0], start=[0.5, 1.0]),
    _new("Keyframes", times=[0.0, 1.0], positions=_TWO, orientations=[[1.0, 0.0, 0.0, 0.0], [1.0, 1.0, 0.0, 0.0]]),
    _new("Deforming", faces=Rows([[0, 1, 2]]), times=[0.0, 1.0], vertices=[_STEP[:3], _NEXT[:3]], name=Word("cloth")),
    _new("Guided", position=[0.5, 0.0, 0.0], velocity=[1.0, 0.0, 0.0], max_acceleration=2.0, expires=4.0,
         direction=[0.0, 0.0, 2.0], start=0.5, max_speed=8.0, orientation=[1.0, 0.0, 0.0, 1.0]),
    _new("Guided.thrust", position=[0.5, 0.0, 0.0], velocity=[1.0, 0.0, 0.0], axis=[2.0, 0.0, 0.0], acceleration=2.0,
         turn_rate=0.5, slack=0.25, longest=2.0, start=0.5),
    _new("Guided.vehicle", position=[0.5, 0.0, 0.0], velocity=[1.0, 0.0, 0.0], turning_radius=2.0, towards=[0.0, 2.0, 0.0],
         longest=2.0, start=0.5),
    _new("Guided.vehicle", position=[0.5, 0.0, 0.0], velocity=[1.0, 0.0, 0.0], turning_radius=2.0, brakes=0.5),
    _new("Guided.spring", position=[0.5, 0.0, 0.0], velocity=[1.0, 0.0, 0.0], stiffness=2.0, mass=0.5, longest_stretch=0.5,
         expires=4.0, damping=0.5, max_speed=4.0),
    _new("Guided.slower_than", position=[0.5, 0.0, 0.0], max_speed=2.0, expires=4.0, velocity=[1.0, 0.0, 0.0]),
    _new("Guided.within", position=[0.5, 0.0, 0.0], lower=[-1.0, -1.0, -1.0], upper=[1.0, 1.0, 1.0], expires=4.0),
    *(_of(f"it = {what}", f"it.{name}", "None", t=0.5) for what, names in (
        ("carom.Guided((0, 0, 0), (1, 0, 0), 2.0, 4.0)", ("position_at", "radius_at")),
        ("carom.Motion((1, 2, 3), (1, 0, 0), spin=(0, 0, 1))", ("position_at", "velocity_at", "orientation_at", "pose_at")),
        ("carom.Keyframes([0, 1], [(0, 0, 0), (1, 0, 0)])", ("position_at", "pose_at", "piece_at")),
        (_CLOTH.removeprefix("cloth = "), ("vertices_at",)),
        ("carom.time_critical.space_time_bounds([carom.Guided((0, 0, 0), (1, 0, 0), 2.0, 4.0)], 1.0)", ("boxes_at",)),
    ) for name in names),
    _of("it = carom.Guided((0, 0, 0), (1, 0, 0), 2.0, 4.0)", "it.broken_by", "None",
        position=[0.5, 0.0, 0.0], velocity=[1.0, 0.0, 0.0], t=0.5),
    _new("KineticBounds", lower=[[-1.0, 0.0, 0.0]] * 3, upper=[[1.0, 0.5, 0.0]] * 3, start=0.5, expires=4.0),
    _new("Elastic", restitution=0.5, collapse_time=0.25),
    _new("time_critical.Horn", offset=[0.0, 0.0, 1.0], radius=0.5, turn_rate=0.25),
    _new("time_critical.space_time_bounds", motions=Code("[carom.Guided((0, 0, 0), (1, 0, 0), 2.0, 4.0)] * 2"),
         radii=[1.0, 0.5], start=0.5,
         until=1.5, cubes=True),
    Target("carom.time_critical.earliest_intersection", {"bounds": Code("bounds"), "method": Word("fast"), "few": 32},
           "guided = [carom.Guided((k, 0, 0), (1, 0, 0), 2.0, 4.0) for k in range(9)]\n"
           "bounds = carom.time_critical.space_time_bounds(guided, 0.25)"),
    _new("collide", **_QUERY, contacts=Word("all"), threads=1), _new("distance", **_QUERY, within=8.0, threads=1),
    _new("penetration", **_QUERY, threads=1), _new("gap", **_QUERY, size=0.5, threads=1),
    _new("time_of_impact", a=BALL, b=BOX, motion_a=Code("carom.Motion()"), motion_b=_FLY, until=4.0, gap=2.0**-20, threads=1),
    _new("shape_cast", shape=BALL, others=Code("[carom.Box((1, 1, 1))]"), translation=[4.0, 0.0, 0.0], pose=_POSE,
         poses_of_others=[_POSE]),
    _new("ray_cast", shape=BOX, origins=_TWO, directions=[[-1.0, 0.0, 0.0], [0.0, 0.0, -1.0]], pose=_POSE),
    _new("vertex_face_toi", start=[_STEP], end=[_NEXT]), _new("edge_edge_toi", start=_STEP, end=_NEXT),
    _of("it = carom.Tracker(carom.Box((1, 1, 1)), carom.Sphere(0.5))", "it.distance", "None", pose_b=_POSE),
    _of("it = carom.CollisionManager()\nit.add_object('box', carom.Box((1, 1, 1)))", "it.add_object",
        "it.min_distance_internal()", name=Word("ball"), mesh=BALL, transform=_POSE),
    _of("it = carom.CollisionManager()\nit.add_object('box', carom.Box((1, 1, 1)))", "it.in_collision_single", "None",
        mesh=BALL, transform=_POSE, return_names=True),
    _of("it = carom.CollisionManager()\nit.add_object('box', carom.Box((1, 1, 1)))", "it.time_of_impact_single", "None",
        mesh=BALL, motion=_FLY, until=4.0),
    _new("boxes.box_pairs", lo=[[0.0, 0.0], [0.5, 0.5], [4.0, 4.0]], hi=[[1.0, 1.0], [2.0, 2.0], [5.0, 5.0]], threads=1),
    _new("World", broad=Word("vadop"), queue=Word("pairing"), axes=[[1.0, 0.0, 0.0], [0.0, 2.0, 0.0]],
         overlap=Word("rank"), narrow=Word("eager"), frame=0.25, grid=Word("3d"), pool=3, zone=0.25, slow=2.0, profile=False,
         start=0.5, periodic=None),
    _new("World", periodic=[8.0, 4.0, 16.0]),
    _of(_WORLD, "world.add", shape=BALL, motion=Code("carom.Motion((1, 2, 3), (0, 0, -4))"), mass=2.0, name=Word("new"),
        group=3, inertia=0.5),
    _of(_PLAIN, "world.add_many", shapes=BALL, positions=[[1.0, 0.0, 0.0], [3.0, 0.5, 0.0]], velocities=[[1.0, 0.0, 0.0]] * 2,
        accelerations=[[0.0, 0.0, -1.0]] * 2, orientations=[[1.0, 0.0, 0.0, 1.0]] * 2, masses=[1.0, 2.0], groups=Rows([0, 1]),
        spins=[[0.0, 0.0, 1.0]] * 2),
    _of(_PLAIN, "world.advance", "world.time", until=2.5),
    _of(_WORLD.partition("world.add(cloth)")[0], "world.advance", "world.time", until=0.5, budget=60.0),
    _of(_PLAIN, "world.defer", bodies=Rows([0])), _of(_WORLD, "world.set_filter", group_a=0, group_b=1, collide=False),
    _of(_WORLD, "world.set_flightplan", body=1, velocities=[[0.0, 0.0, 4.0]] * 2, vertices=Rows([0, 2])),
    _of(_WORLD, "world.set_motion", body=0, motion=Code("carom.Motion((0, 0, 3), (0, 0, -4))")),
    *(_of(_WORLD, f"world.{name}", body=0) for name in ("motion", "keyframes", "name", "shape", "remove", "is_guided")),
    *(_of(_PLAIN, f"world.{name}", "world.time", t=0.5) for name in ("positions", "velocities", "orientations")),
    _of(_WORLD, "world.vertices", body=1, t=0.5), _of(_WORLD, "world.earliest_possible_contact", within=0.5),
    _of(_LIST, "list_.advance", "list_.positions()", until=0.5),
    _of(_LIST, "list_.change_flightplans", "list_.advance(1.0)", vertices=Rows([0, 1]), velocities=_TWO, positions=_TWO),
    _of(_LIST, "list_.add_vertices", "list_.positions()", positions=_TWO, velocities=_TWO),
    _of(_LIST, "list_.add_faces", "list_.advance(1.0)", faces=Rows([[0, 2, 1]]), body=0),
    _of(_LIST, "list_.corners", "None", body=0, face=0),
    _of(_TREE, "tree.change_flightplans", "tree.advance(1.0), tree.boxes()", vertices=Rows([0, 1]), velocities=_TWO,
        positions=_TWO, accelerations=_TWO),
    _of(_TREE, "tree.add_vertices", "tree.positions()", positions=_TWO, velocities=_TWO),
    _of(_TREE, "tree.add_faces", "tree.boxes()", faces=Rows([[0, 2, 1]])),
    _of(_TREE, "tree.advance", "tree.boxes()", until=0.5),
    _of(_TREE, "tree.remove_edges", "tree.faces", edges=Rows([[0, 1]])),
    _of(_CLOTH, "carom.contacts", "None", a=Code("cloth"), b=Code("cloth"), until=0.5, method=Word("swept"), frames=2,
        every=True, threads=1),
    _of(_SPHERES, "carom.time_critical.ProgressivePair(tree, tree).query", "None", pose_a=_POSE, pose_b=_POSE, steps=3,
        level=1),
    _of(_SPHERES, "carom.time_critical.ProgressiveCrowd([tree, tree]).query", "None", pairs=Rows([[0, 1]]),
        poses_of=[_POSE, _POSE], steps=3, level=1),
    _of(_SPHERES, "tree.level", "None", number=1),
]  # fmt: skip
"""All of them."""
