"""Arguments of the wrong type: every public callable about shapes, motions and queries answers with InvalidInputError."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

import carom
from carom.errors import CaromError
from geometry.shapes_in_pairs import SHAPES
from junk_values import junk_values

BALL, BOX, MESH = SHAPES["sphere"], SHAPES["box"], SHAPES["mesh"]
FLY = carom.Motion((3.0, 0, 0), (-1.0, 0, 0))


MANAGED = carom.CollisionManager()
MANAGED.add_object("ball", BALL)
MANAGED.add_object("box", BOX)
DRONE = carom.Guided((0, 0, 0), (0, 0, 0), 1.0, 1.0)
STEP = np.zeros((4, 3)), np.ones((4, 3))
KEYS = carom.Keyframes([0.0, 1.0], np.zeros((2, 3)))
CALLS = {
    carom.Sphere: {"radius": 1.0},
    carom.Box: {"extents": (1, 1, 1)},
    carom.Capsule: {"radius": 1.0, "height": 1.0},
    carom.Cylinder: {"radius": 1.0, "height": 1.0},
    carom.Cone: {"radius": 1.0, "height": 1.0},
    carom.Ellipsoid: {"radii": (1.0, 2.0, 3.0)},
    carom.Convex: {"points": np.eye(4, 3)},
    carom.Mesh: {"vertices": np.eye(3), "faces": [[0, 1, 2]]},
    carom.HalfSpace: {"normal": (0, 0, 1), "offset": 0.0},
    carom.Compound: {"pieces": [(BALL, None)]},
    carom.decompose: {"mesh": MESH},
    carom.Motion: {"position": (0, 0, 0)},
    carom.Motions: {"positions": np.zeros((2, 3))},
    carom.Keyframes: {"times": [0.0, 1.0], "positions": np.zeros((2, 3))},
    carom.Guided: {"position": (0, 0, 0), "velocity": (0, 0, 0), "max_acceleration": 1.0, "expires": 1.0},
    DRONE.position_at: {"t": 1.0},
    DRONE.radius_at: {"t": 1.0},
    DRONE.broken_by: {"position": (0, 0, 0), "velocity": (0, 0, 0), "t": 0.5},
    carom.Guided.within: {"position": (0, 0, 0), "lower": (-1, -1, -1), "upper": (1, 1, 1), "expires": 1.0},
    carom.Guided.slower_than: {"position": (0, 0, 0), "max_speed": 1.0, "expires": 1.0},
    carom.Deforming: {"faces": [[0, 1, 2]], "times": [0, 1], "vertices": np.zeros((2, 3, 3))},
    FLY.position_at: {"t": 1.0},
    FLY.velocity_at: {"t": 1.0},
    FLY.orientation_at: {"t": 1.0},
    FLY.pose_at: {"t": 1.0},
    KEYS.position_at: {"t": 1.0},
    KEYS.pose_at: {"t": 1.0},
    KEYS.piece_at: {"t": 1.0},
    carom.Motions.of: {"motions": [FLY]},
    carom.collide: {"a": BALL, "b": BOX},
    carom.gap: {"a": BALL, "b": BOX, "size": 0.1},
    carom.distance: {"a": BALL, "b": BOX},
    carom.penetration: {"a": BALL, "b": BOX},
    carom.time_of_impact: {"a": BALL, "b": BOX, "motion_a": FLY, "motion_b": FLY, "until": 1.0},
    carom.shape_cast: {"shape": BALL, "others": [BOX], "translation": (1, 0, 0)},
    carom.ray_cast: {"shape": BALL, "origins": (0, 0, 3), "directions": (0, 0, -1)},
    carom.vertex_face_toi: {"start": STEP[0], "end": STEP[1]},
    carom.edge_edge_toi: {"start": STEP[0], "end": STEP[1]},
    carom.Tracker: {"a": BALL, "b": BOX},
    carom.Tracker(BALL, BOX).distance: {},
    carom.Tracker(BOX, BOX).distance: {},
    carom.manager.scene_to_collision: {"scene": None},
    MANAGED.add_object: {"name": "new", "mesh": BALL},
    MANAGED.remove_object: {"name": "ball"},
    MANAGED.set_transform: {"name": "box", "transform": np.eye(4)},
    MANAGED.set_motion: {"name": "box", "motion": FLY},
    MANAGED.in_collision_single: {"mesh": BALL},
    MANAGED.in_collision_internal: {},
    MANAGED.in_collision_other: {"other_manager": MANAGED},
    MANAGED.min_distance_single: {"mesh": BALL},
    MANAGED.min_distance_internal: {},
    MANAGED.min_distance_other: {"other_manager": MANAGED},
    MANAGED.time_of_impact_single: {"mesh": BALL, "motion": FLY, "until": 1.0},
    MANAGED.time_of_impact_internal: {"until": 1.0},
    MANAGED.time_of_impact_other: {"other_manager": MANAGED, "until": 1.0},
}
"""Each with good arguments for all parameters that need one."""
NAMES = frozenset(("name",))
"""Parameters that take any hashable; an unknown one is a ValueError, as in trimesh."""


def of_the_parts(name):
    """Is a public name of carom about shapes, motions or queries?"""
    module = getattr(getattr(carom, name), "__module__", "") or ""
    return callable(getattr(carom, name)) and module.startswith(
        ("carom.shapes", "carom.motion", "carom.queries", "carom.manager")
    )


def test_junk_reaches_every_public_callable():
    results = {"CollisionManager", "Polled"}
    missing = {name for name in carom.__all__ if of_the_parts(name)} - {call.__name__ for call in CALLS} - results
    assert not missing - {"ShapeKind", "Shape"}


def error_of(call, arguments):
    """What a call raises that is no error of carom."""
    try:
        call(**arguments)
    except CaromError:
        return None
    except Exception as error:
        return error
    return None


@pytest.mark.parametrize("call", CALLS, ids=lambda call: getattr(call, "__qualname__", str(call)))
def test_junk_gets_an_error_of_carom_from(call):
    good = CALLS[call]
    for parameter in inspect.signature(call).parameters:
        for what in junk_values():
            value = junk_values()[what]
            MANAGED.add_object("ball", BALL)
            error = error_of(call, {**good, parameter: value})
            unknown = parameter in NAMES and "not in collision manager" in str(error)
            assert error is None or unknown, f"{parameter}={what}: {error!r}"
    if call == MANAGED.remove_object:
        MANAGED.add_object("ball", BALL)


@pytest.mark.parametrize("seed", range(20))
def test_junk_in_several_arguments_gets_an_error_of_carom(seed):
    rng = np.random.default_rng(seed)
    calls = list(CALLS)
    for _ in range(40):
        call = calls[rng.integers(len(calls))]
        arguments = dict(CALLS[call])
        for parameter in inspect.signature(call).parameters:
            if rng.random() < 0.4 and parameter not in NAMES:
                kinds = junk_values()
                arguments[parameter] = kinds[list(kinds)[rng.integers(len(kinds))]]
        error = error_of(call, arguments)
        assert error is None, f"{call.__qualname__}({list(arguments)}): {error!r}"
        MANAGED.add_object("ball", BALL)
        MANAGED.add_object("box", BOX)
