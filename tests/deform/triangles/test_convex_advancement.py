"""Triangles whose corners move straight against rigid bodies that move and turn."""

from __future__ import annotations

import numpy as np
import pytest

import carom
from carom.deform.triangles.convex_advancement import (
    ANSWER,
    HIT_FACE,
    HIT_NORMAL,
    HIT_POINT,
    HIT_TIME,
    HIT_TOUCHES,
    HIT_WEIGHTS,
    core_contacts_into,
    surface_contacts_into,
)
from carom.shapes.parts.cores import triangle_core
from carom.shapes.shape import core_of
from carom.trees.obb.tree import tree_of
from scenarios.worlds import ring

GAP = 1e-9
NOWHERE = np.zeros(3)
"""No contact before says on which side of a triangle the body is."""
SHAPES = (
    carom.Sphere(0.4),
    carom.Capsule(0.2, 0.6),
    carom.Cylinder(0.3, 0.8),
    carom.Cone(0.4, 0.9),
    carom.Ellipsoid((0.4, 0.2, 0.5)),
    carom.Box((0.5, 0.7, 0.4)),
    carom.Convex([(0.5, 0, 0), (0, 0.5, 0), (0, 0, 0.6), (-0.4, -0.3, -0.2)]),
)


def reach_of(shape):
    centre, radius = shape.bounding_sphere()
    return radius + np.linalg.norm(centre)


def flight(shape, rng):
    """A body near the origin that moves, accelerates and spins."""
    quat = rng.normal(size=4)
    return np.concatenate(
        [
            rng.normal(scale=0.3, size=3), rng.normal(scale=0.5, size=3), rng.normal(scale=0.5, size=3),
            quat / np.linalg.norm(quat), rng.normal(scale=2.0, size=3), [reach_of(shape)],
        ]
    )  # fmt: skip


def pose_at(state, s):
    motion = carom.Motion(state[:3], state[3:6], state[6:9], state[9:13], state[13:16])
    return motion.pose_at(s)


def gap_at(shape, state, first, last, s):
    corners = ((1.0 - s) * first + s * last).reshape(3, 3)
    return carom.distance(shape, carom.Mesh(corners, [[0, 1, 2]]), pose_at(state, s)).distance


def samples(n, seed):
    """Triangles that start two to three metres away and fly through the origin, deforming."""
    rng = np.random.default_rng(seed)
    away = rng.normal(size=(n, 1, 3))
    away *= rng.uniform(2.0, 3.0, (n, 1, 1)) / np.linalg.norm(away, axis=2, keepdims=True)
    first = away + rng.normal(scale=0.4, size=(n, 3, 3))
    last = -away + rng.normal(scale=0.4, size=(n, 3, 3))
    return first.reshape(n, 9), last.reshape(n, 9), rng


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: type(shape).__name__)
def test_core_advance_is_never_late_and_stops_at_the_gap(shape):
    first, last, rng = samples(30, 1)
    hits = 0
    for a, b in zip(first, last, strict=True):
        state, answers = flight(shape, rng), np.zeros((1, ANSWER))
        core_contacts_into(a[None], b[None], 1.0, 1.0, core_of(shape), state, GAP, False, NOWHERE, answers)
        time = answers[0, HIT_TIME]
        until = min(time, 1.0)
        assert min(gap_at(shape, state, a, b, s) for s in np.linspace(0.0, until, 40)) > 0.0
        if time <= 1.0:
            hits += 1
            assert gap_at(shape, state, a, b, time) <= 2.0 * GAP
            corners = ((1.0 - time) * a + time * b).reshape(3, 3)
            assert np.allclose(
                answers[0, HIT_WEIGHTS : HIT_WEIGHTS + 3] @ corners, answers[0, HIT_POINT : HIT_POINT + 3], atol=1e-8
            )
            assert np.linalg.norm(answers[0, HIT_NORMAL : HIT_NORMAL + 3]) == pytest.approx(1.0)
    assert hits > 8


def test_core_advance_on_a_surface_is_the_first_of_its_triangles():
    vertices, faces = ring(0.6, 0.2)
    shape = carom.Mesh(vertices, faces)
    tree = tree_of(shape)
    first, last, rng = samples(20, 2)
    hits = 0
    for a, b in zip(first, last, strict=True):
        state, answers = flight(shape, rng), np.zeros((1, ANSWER))
        surface_contacts_into(
            a[None], b[None], 1.0, 1.0, tree.nodes, tree.links, tree.tris, state, GAP, False, NOWHERE, answers
        )
        each = np.full(len(faces), np.inf)
        for k, face in enumerate(faces):
            alone = np.zeros((1, ANSWER))
            core_contacts_into(
                a[None], b[None], 1.0, 1.0, triangle_core(vertices[face]), state, GAP, False, NOWHERE, alone
            )
            each[k] = alone[0, HIT_TIME]
        if each.min() < np.inf:
            hits += 1
            assert answers[0, HIT_TIME] == pytest.approx(each.min(), abs=1e-8)
            assert each[tree.face[int(answers[0, HIT_FACE])]] <= each.min() + 1e-8
        else:
            assert answers[0, HIT_TIME] == np.inf
    assert hits > 6


def test_core_advance_touching_and_parting_is_no_contact():
    triangle = np.array([[-1.0, -1.0, 0.5, 1.0, -1.0, 0.5, 0.0, 1.0, 0.5]])
    state = np.array([0, 0, 0, 0, 0, -1.0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0.5])
    answers = np.zeros((1, ANSWER))
    core_contacts_into(triangle, triangle, 1.0, 1.0, core_of(carom.Sphere(0.5)), state, GAP, False, NOWHERE, answers)
    assert answers[0, HIT_TIME] == np.inf
    assert answers[0, HIT_TOUCHES] == 1.0
    state[5] = 1.0
    core_contacts_into(triangle, triangle, 1.0, 1.0, core_of(carom.Sphere(0.5)), state, GAP, False, NOWHERE, answers)
    assert answers[0, HIT_TIME] == 0.0


def test_body_thrown_up_from_a_triangle_comes_back_in_time():
    """The time at which it has fallen back solves a quadratic equation whose terms nearly cancel."""
    triangle = np.array([[-2.0, -2.0, 0.0, 2.0, -2.0, 0.0, 0.0, 3.0, 0.0]])
    for speed in (0.1, 1.35, 2.7, 10.0):
        state = np.zeros(17)
        state[2], state[5], state[8], state[9], state[16] = 0.125 + 1e-10, speed, -9.8, 1.0, 0.125 * 3**0.5
        answers = np.zeros((1, ANSWER))
        core = core_of(carom.Box((0.25, 0.25, 0.25)))
        core_contacts_into(triangle, triangle, 10.0, 10.0, core, state, 2e-10, False, NOWHERE, answers)
        t = answers[0, HIT_TIME]
        assert 0.0 <= 1e-10 + t * (speed - 4.9 * t) <= 2e-10
