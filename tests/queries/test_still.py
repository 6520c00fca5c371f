"""Collide, gap, distance and penetration of every pairing of shapes."""

from __future__ import annotations

import numpy as np
import pytest

import carom
from carom.errors import InvalidInputError, UnsupportedPairError
from geometry.shapes_in_pairs import BOUNDED, PAIRS, SHAPES, inside, moved, random_poses
from oracles.exact_convex import box as exact_box
from oracles.exact_convex import signed_distance


@pytest.mark.parametrize("pair", PAIRS, ids="-".join)
def test_distance_is_that_of_its_points_and_no_sample_is_nearer(pair):
    a, b = (SHAPES[name] for name in pair)
    poses = random_poses(20, 5, 2.0)
    found = carom.distance(a, b, None, poses)
    apart = np.linalg.norm(found.point_b - found.point_a, axis=1)
    assert np.allclose(apart, found.distance, atol=1e-9)
    assert np.array_equal(found.distance > 0.0, ~carom.collide(a, b, None, poses, contacts="none").hit)
    far = found.distance > 0.0
    assert np.allclose(
        found.point_a[far] + found.distance[far, None] * found.normal[far], found.point_b[far], atol=1e-9
    )


@pytest.mark.parametrize("pair", PAIRS, ids="-".join)
def test_queries_swapped_give_the_swapped_answer(pair):
    a, b = (SHAPES[name] for name in pair)
    here, there = random_poses(12, 1), random_poses(12, 2)
    one, other = carom.distance(a, b, here, there), carom.distance(b, a, there, here)
    assert np.allclose(one.distance, other.distance, rtol=1e-9, atol=1e-9)
    assert np.array_equal(carom.collide(a, b, here, there).hit, carom.collide(b, a, there, here).hit)
    deep, back = carom.penetration(a, b, here, there), carom.penetration(b, a, there, here)
    assert np.allclose(deep.depth, back.depth, rtol=1e-6, atol=1e-9) or not np.all(deep.exact)


@pytest.mark.parametrize("pair", BOUNDED, ids="-".join)
def test_penetration_parts_the_shapes_and_is_not_far_too_long(pair):
    a, b = (SHAPES[name] for name in pair)
    poses = random_poses(8, 3, 0.4)
    found = carom.penetration(a, b, None, poses)
    hit = carom.collide(a, b, None, poses, contacts="none").hit
    assert np.array_equal(found.depth > 0.0, hit)
    for k in np.flatnonzero(hit):
        out = poses[k].copy()
        out[:3, 3] += found.normal[k] * (found.depth[k] + 1e-7)
        assert not carom.collide(a, b, None, out, contacts="none").hit
        if found.exact[k]:
            short = poses[k].copy()
            short[:3, 3] += found.normal[k] * (found.depth[k] - 1e-6)
            assert carom.collide(a, b, None, short, contacts="none").hit


@pytest.mark.parametrize("pair", PAIRS, ids="-".join)
def test_gap_agrees_with_the_distance(pair):
    a, b = (SHAPES[name] for name in pair)
    poses = random_poses(20, 7, 1.5)
    distances = carom.distance(a, b, None, poses).distance
    for size in (0.0, 0.1, 0.5):
        clear = np.abs(distances - size) > 1e-9
        assert np.array_equal(carom.gap(a, b, size, None, poses)[clear], (distances > size)[clear])


@pytest.mark.parametrize("pair", [p for p in PAIRS if "mesh" not in p], ids="-".join)
def test_collide_hits_wherever_a_common_point_is_found(pair):
    a, b = (SHAPES[name] for name in pair)
    rng = np.random.default_rng(11)
    points = rng.uniform(-1.5, 1.5, size=(4000, 3))
    in_a = points[inside(a, points)]
    poses = random_poses(20, 13, 0.8)
    hits = carom.collide(a, b, None, poses, contacts="none").hit
    for k in range(len(poses)):
        shared = inside(b, (in_a - poses[k, :3, 3]) @ poses[k, :3, :3]).any()
        assert hits[k] or not shared


@pytest.mark.parametrize("pair", PAIRS, ids="-".join)
def test_contacts_lie_where_both_shapes_are(pair):
    a, b = (SHAPES[name] for name in pair)
    poses = random_poses(10, 17, 0.5)
    for contacts in ("first", "all"):
        found = carom.collide(a, b, None, poses, contacts=contacts)
        hit = np.flatnonzero(found.hit)
        assert np.isfinite(found.point[hit]).all()
        assert np.allclose(np.linalg.norm(found.normal[hit], axis=1), 1.0)
        assert (found.depth[hit] >= 0.0).all()
    contacts = found.contacts
    assert set(contacts.pose) == set(hit)
    assert len(contacts) >= len(hit)


def test_batches_give_the_answers_of_single_poses():
    a, b = SHAPES["box"], SHAPES["mesh"]
    here, there = random_poses(70, 1), random_poses(70, 2)
    batch = carom.distance(a, b, here, there)
    for k in (0, 31, 69):
        one = carom.distance(a, b, here[k], there[k])
        assert one.distance == batch.distance[k]
        assert np.array_equal(one.point_a, batch.point_a[k])
    assert np.array_equal(batch.distance, carom.distance(a, b, here, there, threads=1).distance)


def test_distance_within_a_limit_is_inf_beyond_it():
    a, b = SHAPES["mesh"], SHAPES["mesh"]
    assert carom.distance(a, b, None, moved(5.0), within=1.0).distance == np.inf
    near = carom.distance(a, b, None, moved(3.0), within=1.0)
    assert near.distance == carom.distance(a, b, None, moved(3.0)).distance


def test_distance_from_the_last_answer_is_the_same():
    a, b = SHAPES["mesh"], SHAPES["mesh"]
    last = carom.distance(a, b, None, moved(3.0))
    again = carom.distance(a, b, None, moved(3.01, 0.02), last=last)
    fresh = carom.distance(a, b, None, moved(3.01, 0.02))
    assert again.distance == pytest.approx(fresh.distance, rel=1e-14)
    assert again.primitive_tests <= fresh.primitive_tests + 1


def test_kissing_boxes_touch_without_depth():
    box = carom.Box((1.0, 1.0, 1.0))
    touch = carom.collide(box, box, None, moved(1.0))
    assert touch.hit
    assert touch.depth == pytest.approx(0.0, abs=1e-12)
    assert carom.distance(box, box, None, moved(1.0)).distance == 0.0
    assert carom.penetration(box, box, None, moved(1.0)).depth == pytest.approx(0.0, abs=1e-12)
    assert not carom.collide(box, box, None, moved(1.0 + 1e-9)).hit


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_queries_scale_with_the_shapes(scale):
    box, cone = carom.Box(scale * np.array((1.0, 0.8, 0.6))), carom.Cone(0.5 * scale, scale)
    pose = random_poses(1, 23)[0]
    near = pose.copy()
    pose[:3, 3] *= 3.0 * scale / np.linalg.norm(pose[:3, 3])
    near[:3, 3] *= 0.2 * scale / np.linalg.norm(near[:3, 3])
    one = carom.distance(carom.Box((1.0, 0.8, 0.6)), carom.Cone(0.5, 1.0), None, _shrunk(pose, scale))
    assert carom.distance(box, cone, None, pose).distance == pytest.approx(scale * one.distance, rel=1e-9)
    assert carom.collide(box, cone, None, near).hit


def _shrunk(pose, scale):
    out = pose.copy()
    out[:3, 3] /= scale
    return out


def test_boxes_agree_with_all_pairs_of_features_and_axes():
    box, exact = carom.Box((1.0, 0.8, 0.6)), exact_box((1.0, 0.8, 0.6))
    poses = random_poses(30, 29, 0.7)
    apart, deep = carom.distance(box, box, None, poses).distance, carom.penetration(box, box, None, poses).depth
    for k in range(len(poses)):
        truth = signed_distance(exact, exact.placed(poses[k, :3, :3], poses[k, :3, 3]))
        assert apart[k] - deep[k] == pytest.approx(truth, rel=1e-12, abs=1e-12)


def test_mesh_inside_a_solid_touches_it_and_a_solid_inside_a_mesh_does_not():
    mesh = SHAPES["mesh"]
    assert carom.collide(carom.Box((9, 9, 9)), mesh).hit
    assert not carom.collide(mesh, carom.Sphere(0.1)).hit
    assert not carom.collide(mesh, carom.Sphere(0.1), None, moved(1.0)).hit


def test_features_of_a_box_are_its_sides():
    box, ball = carom.Box((2.0, 2.0, 2.0)), carom.Sphere(1.0)
    found = carom.distance(box, ball, None, moved(0.0, 3.0))
    assert (found.feature_a, found.feature_b) == (3, -1)
    assert carom.collide(box, ball, None, moved(0.0, 0.0, -1.9)).feature_a == 4


def test_half_spaces_overlap_unless_they_face_each_other():
    up, down = carom.HalfSpace((0, 0, 1), 0.0), carom.HalfSpace((0, 0, -1), -2.0)
    assert carom.distance(up, down).distance == pytest.approx(2.0)
    assert carom.penetration(up, carom.HalfSpace((0, 1, 0), 0.0)).depth == np.inf


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (lambda: carom.collide("ball", SHAPES["box"]), InvalidInputError, "a is 'ball'"),
        (lambda: carom.collide(SHAPES["box"], SHAPES["box"], np.eye(3)), InvalidInputError, "pose_a has shape"),
        (lambda: carom.collide(SHAPES["box"], SHAPES["box"], contacts="some"), InvalidInputError, "contacts is 'some'"),
        (lambda: carom.gap(SHAPES["box"], SHAPES["box"], -1.0), InvalidInputError, "size is -1.0"),
        (lambda: carom.distance(SHAPES["box"], SHAPES["box"], within=np.nan), InvalidInputError, "within is nan"),
        (
            lambda: carom.collide(carom.Polled(lambda t: None, lambda *_: False, 1.0), SHAPES["box"]),
            UnsupportedPairError,
            "Polled",
        ),
    ],
)
def test_queries_refuse_bad_input(call, error, says):
    with pytest.raises(error, match=says):
        call()


@pytest.mark.parametrize("swapped", [False, True])
def test_features_of_a_mesh_against_a_compound_are_its_own_faces(swapped):
    mesh = SHAPES["mesh"]
    compound = carom.Compound([(carom.Sphere(0.1), moved(5.0)), (carom.Sphere(0.2), None)])
    faces = set()
    for angle in np.linspace(0.0, 6.0, 9):
        for radius in (1.75, 1.35):  # apart, and overlapping
            pose = moved(radius * np.cos(angle), radius * np.sin(angle), 0.03)
            ask = (compound, mesh, pose, None) if swapped else (mesh, compound, None, pose)
            alone = carom.Sphere(0.2)
            single = (alone, mesh, pose, None) if swapped else (mesh, alone, None, pose)
            own, piece = ("feature_b", "feature_a") if swapped else ("feature_a", "feature_b")
            for query in (carom.distance, carom.collide):
                found = query(*ask)
                assert getattr(found, own) == getattr(query(*single), own)
                if getattr(found, own) >= 0:
                    assert getattr(found, piece) == 1
            faces.add(getattr(carom.distance(*ask), own))
    assert len(faces) > 5


@pytest.mark.parametrize("size", [5e-324, 1e-162, 1e-150, 1e-12])
@pytest.mark.parametrize("pair", [("mesh", "mesh"), ("box", "mesh"), ("compound", "mesh")])
def test_gap_of_overlapping_shapes_is_none_however_small_the_size(pair, size):
    """The square of a tiny size is 0, which stands for no margin."""
    a = carom.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
    b = {"mesh": a, "box": carom.Box((1, 1, 1)), "compound": carom.Compound([(a, None)])}[pair[0]]
    assert not carom.gap(b, a, size)
    assert carom.gap(b, a, size, pose_b=moved(9.0))
