"""Ellipsoids: bounds, input, and every answer against oracles that share nothing with the library."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import brentq

import carom
from carom.motion.turning import rotations
from carom.tolerances import ADVANCE_GAP
from fuzz.oracle.convex import bounds
from fuzz.oracle.pieces import pieces_of, reach
from geometry.shapes_in_pairs import SHAPES, inside, moved, random_poses

RADII = ((0.6, 0.45, 0.3), (1.0, 1.0, 0.2), (0.2, 0.2, 1.0))
THIN = ((1.0, 1.0, 1e-4), (1.0, 0.3, 1e-4), (1e-4, 1e-4, 1.0), (1e-2, 1e-4, 1.0))
OTHERS = [name for name in SHAPES if name not in ("half-space", "compound", "mesh")]
EXACT = 1e-12


def surface(radii, n=200):
    """Points (n * n, 3) of an ellipsoid."""
    polar, turn = np.meshgrid(np.linspace(0.0, np.pi, n + 1), np.linspace(0.0, 2.0 * np.pi, n, endpoint=False))
    points = np.stack([np.sin(polar) * np.cos(turn), np.sin(polar) * np.sin(turn), np.cos(polar)], axis=-1)
    return points.reshape(-1, 3) * radii


def height(shape, directions):
    """Largest coordinate (n,) of a shape along directions (n, 3) of its frame, by its definition."""
    match shape:
        case carom.Sphere():
            return shape.radius * np.linalg.norm(directions, axis=1)
        case carom.Box():
            return np.abs(directions) @ (0.5 * np.asarray(shape.extents))
        case carom.Capsule():
            return 0.5 * shape.height * np.abs(directions[:, 2]) + shape.radius * np.linalg.norm(directions, axis=1)
        case carom.Cylinder():
            across = np.hypot(directions[:, 0], directions[:, 1])
            return 0.5 * shape.height * np.abs(directions[:, 2]) + shape.radius * across
        case carom.Cone():
            across = np.hypot(directions[:, 0], directions[:, 1])
            up = 0.5 * shape.height * directions[:, 2]
            return np.maximum(up, shape.radius * across - up)
        case carom.Ellipsoid():
            return np.linalg.norm(directions * shape.radii, axis=1)
    return (directions @ shape.vertices.T).max(axis=1)


def gap_along(a, b, pose, axes):
    """Gap (n,) of the shadows of a, and of b at a pose, on axes (n, 3): at most the distance, at least minus the depth."""
    return axes @ pose[:3, 3] - height(b, -axes @ pose[:3, :3]) - height(a, axes)


def signed_distance(a, b, pose, seed=0):
    """Distance of b at a pose from a, minus the depth where they overlap: the largest gap along any axis, found by a search
    that narrows around the best few. Never too large, and a little too small where the gap has a crease."""
    rng = np.random.default_rng(seed)
    axes = rng.normal(size=(6000, 3))
    axes /= np.linalg.norm(axes, axis=1)[:, None]
    axes = axes[np.argsort(gap_along(a, b, pose, axes))[-20:]]
    width = 0.1
    while width > 1e-9:
        near = np.concatenate([axes, (axes[:, None] + width * rng.normal(size=(len(axes), 60, 3))).reshape(-1, 3)])
        near /= np.linalg.norm(near, axis=1)[:, None]
        axes = near[np.argsort(gap_along(a, b, pose, near))[-20:]]
        width *= 0.7
    return float(gap_along(a, b, pose, axes).max())


def distance_to_point(radii, point):
    """Distance of a point from a solid ellipsoid by the root of its Lagrange multiplier, and the nearest point."""
    radii, point = np.asarray(radii), np.asarray(point)
    if ((point / radii) ** 2).sum() <= 1.0:
        return 0.0, point

    def excess(s):
        return ((radii * point / (radii * radii + s)) ** 2).sum() - 1.0

    s = brentq(excess, 0.0, radii.max() * np.linalg.norm(point) + 1.0, xtol=1e-300, rtol=8.9e-16, maxiter=1000)
    near = radii * radii * point / (radii * radii + s)
    return float(np.linalg.norm(point - near)), near


@pytest.mark.parametrize("radii", [*RADII, *THIN, (1e-6, 2e-6, 3e-6), (1e6, 5e6, 2e6)])
def test_ellipsoid_bounds_are_those_of_its_points(radii):
    shape, points = carom.Ellipsoid(radii), surface(radii)
    rng = np.random.default_rng(11)
    quats, axes = rng.normal(size=(20, 4)), rng.normal(size=(20, 5, 3))
    quats /= np.linalg.norm(quats, axis=1)[:, None]
    for quat, along in zip(quats, axes, strict=True):
        low, high = shape.extents_along(along, quat)
        farthest = (along @ rotations(quat[None])[0] @ points.T).max(axis=1)
        np.testing.assert_array_equal(low, -high)
        assert (farthest <= high * (1.0 + EXACT)).all()
        assert (farthest >= high * (1.0 - 1e-3)).all()
    np.testing.assert_array_equal(shape.extents_along(np.eye(3), np.array([1.0, 0.0, 0.0, 0.0]))[1], radii)
    centre, radius = shape.bounding_sphere()
    assert radius == max(radii)
    assert not centre.any()


@pytest.mark.parametrize(
    ("radii", "message"),
    [
        ((0.0, 1.0, 1.0), r"radii\[0\] is 0.0; expected a semi-axis above 0"),
        ((1.0, -2.0, 1.0), r"radii\[1\] is -2.0"),
        ((1.0, 1.0, np.nan), r"radii\[2\] is nan"),
        ((1.0, np.inf, 1.0), r"radii\[1\] is inf"),
        ((1.0, 1.0), r"radii has shape \(2,\)"),
        (1.0, "radii"),
        ("abc", "radii"),
        (None, "radii"),
    ],
)
def test_ellipsoid_bad_input_names_argument_and_value(radii, message):
    with pytest.raises(carom.InvalidInputError, match=message):
        carom.Ellipsoid(radii)


def test_ellipsoid_is_immutable_and_equal_only_to_itself():
    given = np.array([1.0, 2.0, 3.0])
    shape = carom.Ellipsoid(given)
    given[0] = 9.0
    assert shape.radii[0] == 1.0
    assert shape != carom.Ellipsoid((1, 2, 3))
    with pytest.raises(AttributeError):
        shape.radii = (1, 1, 1)
    with pytest.raises(ValueError, match="read-only"):
        shape.radii[0] = 2.0


@pytest.mark.parametrize("radii", [*RADII, *THIN])
def test_ellipsoid_distance_from_points_and_balls_is_that_of_the_multiplier(radii):
    shape, ball = carom.Ellipsoid(radii), carom.Sphere(0.05)
    rng = np.random.default_rng(1)
    points = rng.normal(size=(300, 3)) * 10.0 ** rng.uniform(-1.0, 1.0, (300, 1))
    poses = np.tile(np.eye(4), (300, 1, 1))
    poses[:, :3, 3] = points
    truth = np.array([distance_to_point(radii, point)[0] for point in points])
    found = carom.distance(shape, ball, None, poses)
    apart = truth > 0.05 * (1.0 + 1e-9)
    np.testing.assert_allclose(found.distance[apart], truth[apart] - 0.05, rtol=1e-11, atol=1e-11)
    assert (found.distance[truth < 0.05 * (1.0 - 1e-9)] == 0.0).all()
    hits = carom.collide(shape, ball, None, poses).hit
    assert np.array_equal(hits[np.abs(truth - 0.05) > 1e-9], truth[np.abs(truth - 0.05) > 1e-9] < 0.05)


@pytest.mark.parametrize("name", OTHERS)
@pytest.mark.parametrize("radii", RADII)
def test_ellipsoid_distance_and_depth_agree_with_a_search_over_axes(radii, name):
    a, b = carom.Ellipsoid(radii), SHAPES[name]
    for k, pose in enumerate(random_poses(12, 21, 0.5)):
        truth = signed_distance(a, b, pose, k)
        for there, back in (((a, b, None, pose), 1.0), ((b, a, pose, None), -1.0)):
            near, deep = carom.distance(*there), carom.penetration(*there)
            if truth > 1e-6:
                assert truth - 1e-11 <= near.distance <= truth + 1e-6
                assert deep.depth == 0.0
                # Two points of the shapes are so near, and along the normal they are so far apart.
                assert gap_along(a, b, pose, back * near.normal[None])[0] == pytest.approx(near.distance, abs=1e-11)
                step = (near.point_b - near.point_a) / near.distance
                np.testing.assert_allclose(step, near.normal, atol=1e-9)
                ends = (near.point_a, near.point_b)[:: int(back)]
                assert inside(a, ends[0][None] * (1.0 - 1e-9)).all()
                assert inside(b, ((ends[1] - pose[:3, 3]) @ pose[:3, :3])[None] * (1.0 - 1e-9)).all()
                assert carom.gap(*there[:2], 0.999 * near.distance, *there[2:])
                assert not carom.gap(*there[:2], 1.001 * near.distance, *there[2:])
            elif truth < -1e-6:
                assert near.distance == 0.0
                assert deep.depth == pytest.approx(-truth, rel=3e-6, abs=1e-6)
                parted = pose.copy()
                parted[:3, 3] += back * (1.0 + 1e-5) * deep.depth * deep.normal
                assert carom.distance(a, b, None, parted).distance > 0.0
            assert bool(carom.collide(*there)) == (truth <= 0.0) or abs(truth) < 1e-6


@pytest.mark.parametrize(
    "other", [*(carom.Ellipsoid(radii) for radii in THIN), *(SHAPES[name] for name in OTHERS)], ids=str
)
@pytest.mark.parametrize("radii", THIN)
def test_thin_ellipsoid_distances_and_depths_lie_between_certified_bounds(radii, other):
    shape = carom.Ellipsoid(radii)
    one, two = pieces_of(shape), pieces_of(other)
    slack = 1e-12 * (reach(one) + reach(two) + 3.0)
    for pose in random_poses(40, 22, 0.4):
        rotation, place = np.ascontiguousarray(pose[:3, :3]), pose[:3, 3].copy()
        lower, upper, depth, _ = bounds(one, np.eye(3), np.zeros(3), two, rotation, place)
        near, deep = carom.distance(shape, other, None, pose), carom.penetration(shape, other, None, pose)
        assert lower - slack <= near.distance <= upper + slack
        assert deep.depth >= depth - slack - 2e-6 * depth
        assert deep.depth == 0.0 or lower <= slack
        if deep.depth > 0.0:
            parted = place + deep.depth * deep.normal
            assert bounds(one, np.eye(3), np.zeros(3), two, rotation, parted)[2] <= 10.0 * slack + 2e-6 * deep.depth


@pytest.mark.parametrize("radii", [*RADII, *THIN])
def test_ellipsoid_over_a_half_space_is_exact(radii):
    shape, plane = carom.Ellipsoid(radii), carom.HalfSpace((0.0, 0.6, 0.8), 0.2)
    poses = random_poses(100, 23)
    normal = np.array([0.0, 0.6, 0.8])
    gap = poses[:, :3, 3] @ normal - 0.2 - np.linalg.norm(np.asarray(radii) * (normal @ poses[:, :3, :3]), axis=1)
    np.testing.assert_allclose(carom.distance(plane, shape, None, poses).distance, np.maximum(gap, 0.0), atol=1e-14)
    np.testing.assert_allclose(carom.penetration(shape, plane, poses, None).depth, np.maximum(-gap, 0.0), atol=1e-14)


@pytest.mark.parametrize("name", [name for name in SHAPES if name != "half-space"])
def test_ellipsoid_with_equal_radii_is_a_sphere(name):
    ball, sphere, other = carom.Ellipsoid((0.5, 0.5, 0.5)), carom.Sphere(0.5), SHAPES[name]
    poses = random_poses(50, 24)
    one, two = (carom.distance(shape, other, None, poses) for shape in (ball, sphere))
    np.testing.assert_allclose(one.distance, two.distance, rtol=1e-12, atol=1e-12)
    one, two = (carom.penetration(shape, other, None, poses) for shape in (ball, sphere))
    np.testing.assert_allclose(one.depth, two.depth, rtol=1e-12, atol=4.0 * ADVANCE_GAP)
    for spin in (0.0, 1.0):
        motion = carom.Motion((3.0, 0.2, 0.1), (-1.0, 0.0, 0.0), (0.1, 0.0, 0.0), spin=(0.0, 0.0, spin))
        hits = [carom.time_of_impact(shape, other, carom.Motion(), motion, 6.0) for shape in (ball, sphere)]
        assert hits[0].time == pytest.approx(hits[1].time, abs=4.0 * ADVANCE_GAP)
    rays = np.random.default_rng(3).normal(size=(2, 200, 3)) * ([[[2.0]], [[1.0]]])
    one, two = (carom.ray_cast(shape, rays[0], rays[1] - rays[0]) for shape in (ball, sphere))
    np.testing.assert_array_equal(one.distance, two.distance)


def test_ellipsoid_of_nearly_equal_radii_is_nearly_a_sphere():
    ball, sphere = carom.Ellipsoid((0.5, 0.5 + 1e-13, 0.5 - 1e-13)), carom.Sphere(0.5)
    poses = random_poses(100, 25)
    for other in (sphere, SHAPES["box"]):
        one, two = (carom.distance(shape, other, None, poses).distance for shape in (ball, sphere))
        np.testing.assert_allclose(one, two, atol=1e-11)
        one, two = (carom.penetration(shape, other, None, poses).depth for shape in (ball, sphere))
        np.testing.assert_allclose(one, two, rtol=2e-6, atol=1e-11)


@pytest.mark.parametrize("radii", [*RADII, *THIN])
def test_ray_on_an_ellipsoid_solves_the_quadratic(radii):
    rng = np.random.default_rng(5)
    radii = np.asarray(radii)
    origins = rng.normal(size=(400, 3)) * 3.0
    aims = rng.normal(size=(400, 3)) * radii * 0.6
    directions = aims - origins
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    o, d = origins / radii, directions / radii
    a, b, c = (d * d).sum(axis=1), (o * d).sum(axis=1), (o * o).sum(axis=1) - 1.0
    # Longdouble, since the discriminant of a thin ellipsoid cancels.
    disc = (b.astype(np.longdouble) ** 2) - a.astype(np.longdouble) * c
    truth = np.where((disc >= 0) & (c > 0) & (b < 0), (-b - np.sqrt(np.maximum(disc, 0))) / a, np.inf).astype(float)
    truth[c <= 0] = 0.0
    clear = np.abs(disc) > 1e-9 * b * b
    found = carom.ray_cast(carom.Ellipsoid(radii), origins, directions)
    np.testing.assert_allclose(found.distance[clear], truth[clear], rtol=1e-10)
    hit = clear & np.isfinite(truth) & (truth > 0.0)
    assert hit.sum() > 50
    gradient = found.point[hit] / radii**2
    gradient /= np.linalg.norm(gradient, axis=1)[:, None]
    np.testing.assert_allclose(found.normal[hit], gradient, atol=1e-7)


@pytest.mark.parametrize("radii", [*RADII, *THIN])
@pytest.mark.parametrize("spin", [(0.0, 0.0, 0.0), (0.0, 2.0, 0.0), (0.4, -1.0, 0.7)])
def test_ellipsoid_that_falls_on_a_floor_is_never_late_and_hardly_early(radii, spin):
    floor, shape = carom.HalfSpace((0.0, 0.0, 1.0)), carom.Ellipsoid(radii)
    motion = carom.Motion((0.0, 0.0, 3.0), (0.3, 0.0, -0.2), (0.0, 0.0, -1.0), (0.9, 0.3, 0.1, 0.2), spin)
    hit = carom.time_of_impact(floor, shape, carom.Motion(), motion, 9.0)
    times = np.linspace(0.0, hit.time, 2000, endpoint=False)
    poses = np.array([motion.pose_at(t) for t in times])
    lowest = poses[:, 2, 3] - np.linalg.norm(np.asarray(radii) * poses[:, 2, :3], axis=1)
    assert (lowest > -EXACT).all()
    pose = motion.pose_at(hit.time)
    left = pose[2, 3] - np.linalg.norm(np.asarray(radii) * pose[2, :3])
    assert -EXACT <= left <= 2.0 * ADVANCE_GAP * max(radii)


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("radii", [RADII[0], THIN[0], THIN[3]])
@pytest.mark.parametrize("spinning", [False, True])
def test_ellipsoid_time_of_impact_is_never_late_and_leaves_no_more_than_the_gap(radii, name, spinning):
    rng = np.random.default_rng(7)
    shape, other = carom.Ellipsoid(radii), SHAPES[name]
    met = 0
    for k in range(6):
        spin = rng.normal(size=3) if spinning else np.zeros(3)
        place = rng.normal(size=3)
        place *= 3.0 / np.linalg.norm(place)
        if name == "half-space":
            place[1:] = np.abs(place[1:]) + 1.0
        still = (
            carom.Motion() if name == "half-space" else carom.Motion(orientation=rng.normal(size=4), spin=0.5 * spin)
        )
        velocity, push = -place + 0.3 * rng.normal(size=3), 0.2 * rng.normal(size=3)
        flying = carom.Motion(place, velocity, push, rng.normal(size=4), spin)
        pair, ways = ((other, shape), (still, flying)) if k % 2 else ((shape, other), (flying, still))
        hit = carom.time_of_impact(*pair, *ways, 3.0)
        end = 3.0 if hit is None else hit.time
        for t in np.linspace(0.0, end, 60, endpoint=False):
            assert carom.penetration(*pair, ways[0].pose_at(t), ways[1].pose_at(t)).depth < 1e-9
        if hit is not None and hit.time > 0.0:
            met += 1
            left = carom.distance(*pair, ways[0].pose_at(hit.time), ways[1].pose_at(hit.time)).distance
            assert left <= 2.0 * ADVANCE_GAP
    assert met or name == "mesh"


def test_ellipsoid_piece_of_a_compound_answers_as_alone():
    shape, box = carom.Ellipsoid((0.6, 0.45, 0.3)), SHAPES["box"]
    compound = carom.Compound([(shape, moved(0.4)), (carom.Sphere(0.2), moved(-2.0))])
    for pose in random_poses(30, 26):
        one = carom.distance(compound, box, None, pose).distance
        two = min(
            carom.distance(shape, box, moved(0.4), pose).distance,
            carom.distance(carom.Sphere(0.2), box, moved(-2.0), pose).distance,
        )
        assert one == pytest.approx(two, abs=1e-12)


def test_ellipsoid_triangles_lie_on_its_surface_and_face_outwards():
    shape = carom.Ellipsoid((0.6, 0.45, 0.3))
    corners = shape.triangles(80)
    np.testing.assert_allclose(((corners / shape.radii) ** 2).sum(axis=2), 1.0)
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    assert ((normals * corners.mean(axis=1)).sum(axis=1) > 0.0).all()
    volume = np.linalg.det(corners).sum() / 6.0
    assert volume == pytest.approx(4.0 / 3.0 * np.pi * 0.6 * 0.45 * 0.3, rel=0.1)


def test_ellipsoid_turned_by_its_pose_is_the_one_with_permuted_radii():
    quarter = np.eye(4)
    quarter[:3, :3] = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    one, two = carom.Ellipsoid((0.6, 0.45, 0.3)), carom.Ellipsoid((0.45, 0.6, 0.3))
    there = random_poses(40, 27)
    np.testing.assert_allclose(
        carom.distance(one, SHAPES["cone"], quarter, there).distance,
        carom.distance(two, SHAPES["cone"], None, there).distance,
        atol=1e-13,
    )
    assert np.allclose(rotations(np.array([[np.sqrt(0.5), 0.0, 0.0, np.sqrt(0.5)]]))[0], quarter[:3, :3])
