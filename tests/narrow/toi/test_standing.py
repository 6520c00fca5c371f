"""The contact of a mesh that stands on a half-space is a point of the mesh."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

import carom
from carom.shapes import Shape
from scenarios.worlds import ring

FLOOR = carom.HalfSpace((0.0, 0.0, 1.0), 0.0)
BOX = carom.Box((1.0, 0.6, 0.8))


def _table() -> carom.Mesh:
    """A plate on four feet, each a point."""
    vertices, faces = [BOX.vertices * (1.0, 1.0, 0.1)], [BOX.faces]
    for x, y in ((0.3, -0.2), (-0.3, -0.2), (-0.3, 0.2), (0.3, 0.2)):
        vertices.append(np.array([(x, y, -0.5), (x - 0.1, y, 0.0), (x + 0.1, y, 0.0), (x, y + 0.1, 0.0)]))
        faces.append(np.array([(0, 1, 2), (0, 2, 3), (0, 3, 1), (1, 3, 2)]) + 4 * len(vertices))
    return carom.Mesh(np.vstack(vertices), np.vstack(faces))


def _washer() -> carom.Mesh:
    """A flat ring."""
    angles = np.arange(12) * np.pi / 6.0
    circle = np.column_stack([np.cos(angles), np.sin(angles), np.zeros(12)])
    k = np.arange(12)
    after = (k + 1) % 12
    faces = np.vstack([np.column_stack([k, after, 12 + k]), np.column_stack([after, 12 + after, 12 + k])])
    return carom.Mesh(np.vstack([circle, 0.5 * circle]), faces)


HOLED = {"table": _table(), "washer": _washer(), "torus": carom.Mesh(*ring())}
SOLID = {"box": BOX, "convex": carom.Convex(BOX.vertices), "mesh": carom.Mesh(BOX.vertices, BOX.faces)}


def _off(mesh: carom.Mesh, points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Distance of each point (n, 3) from the triangles of a mesh: by their planes where over a triangle, else by edges."""
    best = np.full(len(points), np.inf)
    for face in np.asarray(mesh.faces):
        a, b, c = np.asarray(mesh.vertices)[face]
        matrix = np.column_stack([b - a, c - a, np.cross(b - a, c - a)])
        f, g, h = np.linalg.solve(matrix, (points - a).T)
        over = (f >= 0.0) & (g >= 0.0) & (f + g <= 1.0)
        best = np.where(over, np.minimum(best, np.abs(h) * np.linalg.norm(matrix[:, 2])), best)
        for p, q in ((a, b), (b, c), (c, a)):
            share = np.clip((points - p) @ (q - p) / ((q - p) @ (q - p)), 0.0, 1.0)
            best = np.minimum(best, np.linalg.norm(points - p - share[:, None] * (q - p), axis=1))
    return best


def _contacts(shape: Shape, spin: tuple[float, ...]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The point of the first contact with the floor, in the shape's axes and in the world's; a query and a world agree."""
    fall = carom.Motion((0.2, 0.1, 3.0), velocity=(0.3, 0.0, -1.0), spin=spin)
    hit = carom.time_of_impact(shape, FLOOR, fall, carom.Motion(), until=9.0)
    world = carom.World()
    world.add(shape, fall)
    world.add(FLOOR)
    contact = world.advance(9.0)[0]
    assert hit is not None
    time = float(hit.time)
    assert contact.time == time
    assert contact.point.tobytes() == np.asarray(hit.point).tobytes()
    turned = Rotation.from_quat(fall.orientation_at(time), scalar_first=True)
    return turned.apply(contact.point - fall.position_at(time), inverse=True), contact.point


@pytest.mark.parametrize("spin", [(0.0, 0.0, 0.0), (0.0, 0.0, 0.7)])
@pytest.mark.parametrize("name", HOLED)
def test_contact_of_a_mesh_on_several_corners_is_on_the_mesh(name: str, spin: tuple[float, ...]) -> None:
    own, point = _contacts(HOLED[name], spin)
    assert _off(HOLED[name], own[None])[0] < 1e-8
    assert abs(point[2]) < 1e-8
    vertices = np.asarray(HOLED[name].vertices)
    corners = np.flatnonzero(vertices[:, 2] < vertices[:, 2].min() + 1e-12)
    apart = np.linalg.norm(vertices[corners] - own, axis=1)
    assert apart.min() < 1e-8


@pytest.mark.parametrize("spin", [(0.0, 0.0, 0.0), (0.0, 0.0, 0.7)])
@pytest.mark.parametrize("name", SOLID)
def test_contact_of_a_body_on_a_whole_face_is_in_its_middle(name: str, spin: tuple[float, ...]) -> None:
    own, _ = _contacts(SOLID[name], spin)
    np.testing.assert_allclose(own, (0.0, 0.0, -0.4), atol=1e-8)


def test_contact_of_a_mesh_on_an_edge_is_in_the_middle_of_the_edge() -> None:
    wedge = carom.Mesh([(-1, 0, 0), (1, 0, 0), (0, 1, 1), (0, -1, 1)], [(0, 1, 2), (0, 1, 3)])
    own, _ = _contacts(wedge, (0.0, 0.0, 0.0))
    np.testing.assert_allclose(own, (0.0, 0.0, 0.0), atol=1e-8)
