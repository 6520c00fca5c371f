"""The pilot's view as lines of text: wireframes of all ships in Braille characters, and a line of numbers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from carom.play.fleet import NOSE, Fleet
from carom.play.simulator import Frame, Simulator
from carom.shapes import Mesh
from carom.view.draw.camera import Camera

Floats = NDArray[np.float64]

_SHARP = np.cos(np.radians(25.0))  # Smallest angle between faces at a drawn edge
_BEHIND, _ABOVE, _AHEAD = 4.5, 1.6, 4.0  # Positions of the camera and its target relative to the user's ship, m
_NEAREST = 0.3  # Nearest drawn distance from the camera, m
_FIELD = 0.75  # Half the height of the picture, relative to its distance
_DOTS = np.array([(0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80)], np.uint8)
"""Bits of the dots of a Braille character, row by row."""
_LONGEST = 2000  # Largest number of dots of one edge


def sharp_edges(mesh: Mesh) -> NDArray[np.int64]:
    """Return the edges (m, 2) of a closed mesh at which its faces meet at an angle."""
    faces = np.asarray(mesh.faces)
    corners = np.asarray(mesh.vertices)[faces]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals /= np.linalg.norm(normals, axis=1)[:, None] + 1e-300
    sides = np.sort(faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1)
    order = np.lexsort((sides[:, 1], sides[:, 0]))
    owner = order // 3
    same = (sides[order][1:] == sides[order][:-1]).all(axis=1)
    bend = (normals[owner[1:]] * normals[owner[:-1]]).sum(axis=1)
    return sides[order][1:][same & (bend < _SHARP)]


class Screen:
    """Draws fleets of one shape. plain: no Braille, for terminals without Unicode."""

    def __init__(self, mesh: Mesh, *, plain: bool = False) -> None:
        self._ends = np.asarray(mesh.vertices)[sharp_edges(mesh)].reshape(-1, 3)
        self._plain = plain

    def lines(self, fleet: Fleet, columns: int, rows: int) -> list[str]:
        """Return the view from behind the user's ship: `rows` lines of `columns` characters."""
        if columns < 1 or rows < 1:
            return []
        camera = _camera(fleet)
        # Row vectors are turned by the transposed matrix.
        ends = self._ends @ fleet.rotations.reshape(-1, 3, 3).transpose(0, 2, 1) + fleet.positions[:, None]
        seen, depth = camera.project(ends.reshape(-1, 2, 3))
        seen = seen[(depth > _NEAREST).all(axis=1)]
        wide, high = 2 * columns, 4 * rows
        scale = 0.5 * high / _FIELD
        dots = np.stack([0.5 * wide + scale * seen[..., 0], 0.5 * high - scale * seen[..., 1]], axis=-1)
        cells = np.zeros((rows, columns), np.uint8)
        x, y = _on_lines(dots, wide, high)
        np.bitwise_or.at(cells, (y // 4, x // 2), _DOTS[y % 4, x % 2])
        if self._plain:
            lit = np.unpackbits(cells[..., None], axis=-1).sum(axis=-1)
            shown = np.where(lit == 0, " ", np.where(lit > 3, "#", "."))
            return ["".join(row) for row in shown]
        return ["".join(map(chr, row)) for row in np.where(cells == 0, 0x20, 0x2800 + cells.astype(np.int64))]


def status(simulator: Simulator, frame: Frame) -> str:
    """Return one line: times of the frame, level of detection, and contacts."""
    depth = "exact" if frame.exact else f"level {frame.level}, within {frame.error_bound:.3f} m"
    speed = float(np.linalg.norm(simulator.fleet.velocities[0]))
    return (
        f"frame {frame.number}  {1e3 * frame.seconds:.1f} of {1e3 * simulator.target:.1f} ms"
        f"  detection {1e3 * frame.detection:.2f} ms  {depth}  near {frame.candidates}"
        f"  collisions {simulator.collisions}  speed {speed:.1f} m/s"
    )


def _camera(fleet: Fleet) -> Camera:
    turned = fleet.rotations[0].reshape(3, 3)
    nose, up = turned @ NOSE, turned[:, 2]
    where = fleet.positions[0]
    return Camera(where - _BEHIND * nose + _ABOVE * up, where + _AHEAD * nose, up)


def _on_lines(ends: Floats, wide: int, high: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return columns and rows of the dots along lines (m, 2, 2) within a picture of wide x high dots."""
    low, top = ends.min(axis=1), ends.max(axis=1)
    ends = ends[((top >= 0.0) & (low < (wide, high))).all(axis=1)]
    count = np.minimum(np.abs(ends[:, 1] - ends[:, 0]).max(axis=1, initial=0.0), _LONGEST).astype(np.int64) + 2
    line = np.repeat(np.arange(len(ends)), count)
    first = np.repeat(np.cumsum(count) - count, count)
    share = (np.arange(len(line)) - first) / (count[line] - 1)
    dots = np.floor(ends[line, 0] + share[:, None] * (ends[line, 1] - ends[line, 0])).astype(np.int64)
    dots = dots[((dots >= 0) & (dots < (wide, high))).all(axis=1)]
    return dots[:, 0], dots[:, 1]
