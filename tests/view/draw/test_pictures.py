"""What pictures of runs promise: up is up, floors are seen from inside only, names and numbers can be read."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from carom.scenes import scene
from carom.view.draw import run_picture as picture
from carom.view.draw.camera import Camera, clear_camera
from carom.view.draw.graph_panel import _label_places
from carom.view.draw.ground import View, Wall, draw_ground
from carom.view.draw.look import figures, new_figure

UP = {"y": np.array([0.0, 1.0, 0.0]), "z": np.array([0.0, 0.0, 1.0]), "aslant": np.array([0.6, 0.0, 0.8])}


@pytest.mark.parametrize("up", UP.values(), ids=UP)
@pytest.mark.parametrize("normal", [(1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, -1.0)])
def test_clear_camera_keeps_up_up_and_looks_down(up, normal):
    rng = np.random.default_rng(1)
    point, centres = np.full(3, 0.5), rng.random((30, 3))
    box = np.zeros(3), np.ones(3)
    camera = clear_camera(point, np.array(normal), up, 3.0, centres, np.full(30, 0.05), box)
    (below, above), _ = camera.project(np.stack([point, point + 0.1 * up]))
    assert above[0] == pytest.approx(below[0], abs=1e-12)
    assert above[1] > below[1]
    assert (camera.eye - point) @ up > 0.0


def test_picture_up_is_against_gravity_or_z():
    made = scene("billiards")
    assert picture._up(made).tolist() == [0.0, 0.0, 1.0]
    fall = np.tile([0.0, -9.81, 0.0], (len(made), 1))
    assert picture._up(dataclasses.replace(made, accelerations=fall)) == pytest.approx([0.0, 1.0, 0.0])


@pytest.mark.parametrize(("height", "drawn"), [(1.0, 2), (-1.0, 0)])
def test_draw_ground_shows_a_floor_from_above_only(height, drawn):
    axes = new_figure(4.0, 3.0, 50).add_subplot()
    eye = np.array([0.0, -5.0, height])
    view = View(Camera(eye, np.zeros(3), UP["z"]), UP["z"], 0.1, np.ones(3), (5.0, 2.0))
    draw_ground(axes, view, [Wall(np.zeros(3), UP["z"])], np.full(3, -1.0), np.ones(3))
    assert len(axes.collections) == drawn


def test_label_places_stay_beside_their_nodes_and_apart():
    at = np.array([[-0.5, 0.5], [0.5, 0.5], [0.5, 0.2], [0.5, -0.4]])
    places = _label_places(at, np.array([[0, 1], [1, 2], [2, 3]]))
    assert (np.abs(places - at) <= (0.19 + 1e-12, 0.12 + 1e-12)).all()
    apart = np.abs(places[:, None] - at[None]) / (0.19, 0.12)
    assert np.linalg.norm(apart, axis=2).min() > 0.8


def test_figures_are_four_written_out():
    assert [figures(x) for x in (0.0, 13.0, 25.84, 874.81, 1000.4, 19268.0, 1298400.0)] == [
        "0", "13", "25.84", "874.8", "1,000", "19,270", "1,298,000",
    ]  # fmt: skip
