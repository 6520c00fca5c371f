"""The built-in animations: sizes, seeds, and that they are what they say."""

from __future__ import annotations

import numpy as np
import pytest
import trimesh

import carom
from carom.errors import SceneError
from carom.scenes import ANIMATIONS, animation
from carom.scenes.animated.cloth import Cloth, cells_for, grid_faces
from carom.scenes.animated.tablecloth import rest_on_table, table_distance, table_mesh
from carom.scenes.animated.tubes import carried_frames, rounded_path

SMALL = {"tablecloth": {"faces": 800, "keys": 12}, "swirl": {"faces": 800, "keys": 6}, "walker": {"faces": 6000}}
BODIES = {"tablecloth": ["cloth", "table"], "swirl": ["cloth"], "walker": ["figure", "shirt"]}


@pytest.fixture(scope="module")
def made():
    return {name: animation(name, **options) for name, options in SMALL.items()}


@pytest.mark.parametrize("name", SMALL)
def test_animation_has_named_bodies_of_the_wanted_size(made, name):
    bodies, options = made[name], SMALL[name]
    assert [body.name for body in bodies] == BODIES[name]
    counted = bodies if name == "walker" else bodies[:1]
    assert sum(len(body.faces) for body in counted) == pytest.approx(options["faces"], rel=0.1)
    for body in bodies:
        assert body.times.tolist() == [k / 24 for k in range(options.get("keys", 30))]
        assert np.isfinite(body.vertices).all()
        used = np.unique(body.faces)
        assert used.tolist() == list(range(body.vertices.shape[1]))
        assert (np.diff(np.sort(body.faces, axis=1), axis=1) > 0).all()


@pytest.mark.parametrize("name", SMALL)
def test_animation_depends_on_its_seed_alone(made, name):
    again = animation(name, **SMALL[name], seed=0)
    other = animation(name, **SMALL[name], seed=1)
    assert all(np.array_equal(a.vertices, b.vertices) for a, b in zip(made[name], again, strict=True))
    assert not all(np.array_equal(a.vertices, b.vertices) for a, b in zip(made[name], other, strict=True))
    assert all(np.array_equal(a.faces, b.faces) for a, b in zip(made[name], other, strict=True))


@pytest.mark.parametrize("name", ["tablecloth", "swirl"])
def test_cloth_keeps_the_lengths_of_its_edges(made, name):
    cloth = made[name][0]
    mesh = trimesh.Trimesh(cloth.vertices[0], cloth.faces, process=False)
    ends = cloth.vertices[:, mesh.edges_unique]
    length = np.linalg.norm(ends[:, :, 0] - ends[:, :, 1], axis=2)
    assert np.median(np.abs(length / np.median(length, axis=0) - 1.0)) < 0.05
    assert length.max() < 2.5 * np.median(length)


def test_tablecloth_falls_drapes_and_stays_off_the_table(made):
    cloth, table = made["tablecloth"]
    assert table.is_still
    assert table_distance(np.moveaxis(cloth.vertices, 2, 0)).min() > 0.149 * 1.8 / 20
    assert cloth.vertices[0, :, 2].min() > 0.05
    assert cloth.vertices[-1, :, 2].min() < -0.15
    on_top = np.hypot(*cloth.vertices[-1, :, :2].T) < 0.5
    assert np.abs(cloth.vertices[-1, on_top, 2]).max() < 0.05


def test_table_is_closed_outward_and_inside_its_distance():
    vertices, faces = table_mesh()
    mesh = trimesh.Trimesh(vertices, faces, process=False)
    assert mesh.is_watertight
    assert mesh.is_winding_consistent
    assert mesh.volume > 0.0
    top = vertices[vertices[:, 2] > -0.0599]
    assert table_distance(top.T).max() < 1e-12


def test_rest_on_table_moves_points_out_by_the_nearest_way():
    points = np.array([(0.0, 0.0, -0.01), (0.597, 0.0, -0.03), (0.3, 0.0, -0.055), (0.0, 0.0, 1.0)]).T
    rest_on_table(points, points.copy(), 0.002)
    assert table_distance(points)[:3] == pytest.approx(0.002, abs=1e-9)
    np.testing.assert_allclose(points[:, 0], (0.0, 0.0, 0.002), atol=1e-12)
    np.testing.assert_allclose(points[:, 1], (0.602, 0.0, -0.03), atol=1e-12)
    np.testing.assert_allclose(points[:, 2], (0.3, 0.0, -0.062), atol=1e-12)
    assert points[2, 3] == 1.0


def test_swirl_folds_on_itself(made):
    assert len(carom.self_contacts(made["swirl"][0])) > 20


def test_walker_touches_nothing_at_the_start_and_its_shirt_later(made):
    figure, shirt = made["walker"]
    assert len(carom.self_contacts(shirt, until=0.02)) == 0
    found = carom.contacts(figure, shirt)
    assert len(found) > 0
    assert found.times[0] > 0.02


def test_walker_figure_is_five_closed_parts_and_the_shirt_has_four_openings(made):
    figure, shirt = (trimesh.Trimesh(body.vertices[9], body.faces, process=False) for body in made["walker"])
    assert figure.is_watertight
    assert figure.body_count == 5
    assert all(part.volume > 0.0 for part in figure.split())
    assert shirt.body_count == 1
    assert shirt.is_winding_consistent
    border = shirt.edges_sorted[trimesh.grouping.group_rows(shirt.edges_sorted, require_count=1)]
    loops = trimesh.graph.connected_components(border, min_len=3)
    assert len(loops) == 4


def test_walker_goes_ahead_on_the_ground(made):
    figure = made["walker"][0]
    assert figure.vertices[-1, :, 0].mean() - figure.vertices[0, :, 0].mean() > 0.8
    assert np.abs(figure.vertices[:, :, 2].min(axis=1)).max() < 0.03
    assert figure.vertices[:, :, 2].max() == pytest.approx(1.75, abs=0.1)


def test_cloth_grid_faces_are_outward_and_numbered_by_rows():
    assert grid_faces(2, 2).tolist() == [[0, 2, 3], [0, 3, 1]]
    cloth = Cloth(1.0, cells_for(200), drag=1.0)
    mesh = trimesh.Trimesh(cloth.points.reshape(3, -1).T, cloth.faces, process=False)
    assert len(mesh.faces) == 200
    assert mesh.area == pytest.approx(1.0)
    assert (mesh.face_normals[:, 2] > 0.99).all()


def test_rounded_path_is_the_polyline_away_from_its_corners():
    joints = np.array([[(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (1.0, 1.0, 0.0)]])
    path = rounded_path(joints, np.array([0.2]), 41)
    assert path.shape == (1, 41, 3)
    np.testing.assert_allclose(path[0, 10], (0.5, 0.0, 0.0), atol=1e-12)
    np.testing.assert_allclose(path[0, 20], (0.95, 0.05, 0.0), atol=1e-12)
    np.testing.assert_allclose(path[0, -1], (1.0, 1.0, 0.0), atol=1e-12)


def test_carried_frames_stay_square_to_the_path_and_do_not_twist():
    turn = np.linspace(0.0, 1.5, 30)
    path = np.stack([np.sin(turn), np.zeros(30), np.cos(turn)], axis=1)[None]
    across, up = carried_frames(path, np.array([[0.0, 1.0, 0.0]]))
    np.testing.assert_allclose(across[0], np.tile((0.0, 1.0, 0.0), (30, 1)), atol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(up, axis=-1), 1.0, atol=1e-12)


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("rings", {}, "no animation is called 'rings'; expected tablecloth, swirl, walker"),
        ("swirl", {"faces": 10}, "faces is 10; expected a whole number from 200"),
        ("swirl", {"keys": 1}, "keys is 1; expected a whole number from 2"),
        ("swirl", {"density": 1}, "no parameter 'density'; expected faces, keys, seed"),
        ("walker", {"seed": -1}, "seed is -1"),
    ],
)
def test_animation_refuses_bad_parameters(name, options, message):
    with pytest.raises(SceneError, match=message):
        animation(name, **options)


def test_animations_have_a_summary_and_defaults():
    for built_in in ANIMATIONS.values():
        assert built_in.summary.endswith(".")
        assert built_in.default("keys") == 30
