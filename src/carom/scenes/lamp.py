"""A desk lamp: the body of the sphere-tree experiments (Hubbard 1995, figure 10), with 626 or another number of triangles.

Seven closed parts, each a surface of revolution: base, lower arm, elbow, upper arm, shade, socket and bulb. Neighbours have a
small gap, so that no two parts overlap and every part is a closed polyhedron.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from carom import validate
from carom.errors import InvalidInputError
from carom.maths.trigonometry import cosines, sines
from carom.scenes.animated.tubes import closed_tube_faces
from carom.shapes import Mesh

Array = NDArray[np.float64]
Part = tuple[Array, NDArray[np.int64]]
"""Vertices (n, 3) and faces (m, 3)."""

TRIANGLES = 626
"""Number of triangles of the paper's lamp, and the default of this one."""
_GAP = 0.004
_FEWEST, _MOST = 200, 1_000_000

_BASE_TOP = 0.085
_ARM = 0.03
_ELBOW, _ELBOW_RADIUS = np.array([0.38, 0.0, 0.80]), 0.06
_HEAD = np.array([-0.22, 0.0, 1.30])  # Centre of the shade's cap, to which the upper arm leads
_HEAD_AXIS = np.array([-0.75, 0.0, -0.66]) / np.hypot(0.75, 0.66)  # Direction of the light
_SHADE = [(0.0, 0.0), (0.075, 0.0), (0.15, 0.10), (0.30, 0.36), (0.288, 0.36), (0.138, 0.112), (0.0, 0.112)]
"""Radius and distance along the axis: from the cap down the outside to the rim and back up the inside."""
_SOCKET_END = 0.17
_BULB = 0.085


def lamp(triangles: int = TRIANGLES) -> Mesh:
    """Return the lamp as one mesh, of bounding radius 1 about the origin; z is up, and it shines towards -x.

    triangles: approximate number, 200 to a million; the default, 626, is exact. Finer lamps have the same shape, rounder.
    """
    parts = lamp_parts(triangles)
    firsts = np.cumsum([0, *(len(part.vertices) for part in parts[:-1])])
    vertices = np.concatenate([part.vertices for part in parts])
    faces = np.concatenate([part.faces + first for part, first in zip(parts, firsts, strict=True)])
    return Mesh(vertices, faces)


def lamp_parts(triangles: int = TRIANGLES) -> list[Mesh]:
    """Return the lamp part by part, in one frame: base, lower arm, elbow, upper arm, shade, socket, bulb."""
    count = validate.number("triangles", triangles)
    if not _FEWEST <= count <= _MOST:
        raise InvalidInputError(f"triangles is {triangles}; expected {_FEWEST} to {_MOST:,}")
    parts = _parts(float(np.sqrt(count / TRIANGLES)))
    points = np.concatenate([vertices for vertices, _ in parts])
    centre = 0.5 * (points.min(axis=0) + points.max(axis=0))
    size = np.linalg.norm(points - centre, axis=1).max()
    return [Mesh((vertices - centre) / size, faces) for vertices, faces in parts]


def _parts(fineness: float) -> list[Part]:
    """Return the parts in metres, with the base on the floor; the resolution grows with `fineness`."""
    up = np.array([0.0, 0.0, 1.0])
    lean = _ELBOW / np.linalg.norm(_ELBOW)
    sideways = float(np.hypot(lean[0], lean[1]))
    # The foot of the inclined arm is cut perpendicularly, so one side of it is lower than its centre.
    foot = up * _BASE_TOP + lean * (_GAP + _ARM * sideways) / lean[2]
    reach = _ELBOW - foot
    lean = reach / np.linalg.norm(reach)
    lower_end = _ELBOW - lean * (_ELBOW_RADIUS + _GAP)
    top = _HEAD - _HEAD_AXIS * (_GAP + _ARM)
    bend = (top - _ELBOW) / np.linalg.norm(top - _ELBOW)
    upper_start = _ELBOW + bend * (_ELBOW_RADIUS + _GAP)
    socket_start = _SHADE[-1][1] + _GAP
    bulb_start = _HEAD + _HEAD_AXIS * (_SOCKET_END + _GAP)
    base = [(0.0, 0.0), (0.40, 0.0), (0.40, 0.04), (0.31, _BASE_TOP), (0.0, _BASE_TOP)]
    return [
        _turned(np.zeros(3), up, 24, _rings(base, 3, fineness), fineness),
        _turned(foot, lean, 8, _rings(_rod(_ARM, float(np.linalg.norm(lower_end - foot))), 2, fineness), fineness),
        _turned(_ELBOW - up * _ELBOW_RADIUS, up, 9, _ball(_ELBOW_RADIUS, round(4 * fineness)), fineness),
        _turned(
            upper_start, bend, 8, _rings(_rod(_ARM, float(np.linalg.norm(top - upper_start))), 2, fineness), fineness
        ),
        _turned(_HEAD, _HEAD_AXIS, 21, _rings(_SHADE, 5, fineness), fineness),
        _turned(
            _HEAD + _HEAD_AXIS * socket_start,
            _HEAD_AXIS,
            9,
            _rings(_rod(0.04, _SOCKET_END - socket_start), 2, fineness),
            fineness,
        ),
        _turned(bulb_start, _HEAD_AXIS, 10, _ball(_BULB, round(5 * fineness)), fineness),
    ]


def _rod(radius: float, length: float) -> list[tuple[float, float]]:
    return [(0.0, 0.0), (radius, 0.0), (radius, length), (0.0, length)]


def _ball(radius: float, rings: int) -> Array:
    angle = np.linspace(0.0, np.pi, rings + 2)
    profile = radius * np.column_stack([sines(angle), 1.0 - cosines(angle)])
    profile[[0, -1], 0] = 0.0
    return profile


def _rings(profile: Sequence[tuple[float, float]], coarse: int, fineness: float) -> Array:
    """Return the profile with round(coarse * fineness) points between its ends: the longest segments are divided first."""
    points = np.array(profile)
    pieces = np.ones(len(points) - 1, np.int64)
    length = np.linalg.norm(np.diff(points, axis=0), axis=1)
    for _ in range(round(coarse * fineness) - coarse):
        pieces[np.argmax(length / pieces)] += 1
    stretches = [
        start + (end - start) * np.arange(n)[:, None] / n
        for start, end, n in zip(points[:-1], points[1:], pieces, strict=True)
    ]
    return np.concatenate([*stretches, points[-1:]])


def _turned(start: Array, axis: Array, corners: int, profile: Array, fineness: float) -> Part:
    """Revolve a profile (r, 2) of (radius, distance along the axis), whose ends are on the axis, about `axis` from `start`."""
    around = max(3, round(corners * fineness))
    helper = np.eye(3)[int(np.argmin(np.abs(axis)))]
    side = np.cross(axis, helper)
    side /= np.linalg.norm(side)
    turn = 2.0 * np.pi * np.arange(around) / around
    spokes = cosines(turn)[:, None] * side + sines(turn)[:, None] * np.cross(axis, side)
    rings = start + profile[1:-1, 1, None, None] * axis + profile[1:-1, 0, None, None] * spokes
    poles = start + profile[[0, -1], 1, None] * axis
    vertices = np.concatenate([rings.reshape(-1, 3), poles])
    faces = closed_tube_faces(len(rings), around).astype(np.int64)
    corner = vertices[faces] - start
    volume = np.einsum("ij,ij->", corner[:, 0], np.cross(corner[:, 1], corner[:, 2]))
    return vertices, faces if volume > 0.0 else faces[:, ::-1]
