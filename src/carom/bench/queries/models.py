"""The meshes of the query benches, and poses and flights of one relative to another."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import trimesh
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from carom.motion import Motion, Motions
from carom.motion.turning import rotations, turned_quaternions
from carom.queries import time_of_impact
from carom.shapes import Mesh

Floats = NDArray[np.float64]

_NEAR = 0.02  # Radii: largest displacement of poses near contact from the first touch
_FAR = 3.0  # Radii between the centres at the start of an approach: bounding spheres do not touch


def models(quick: bool) -> dict[str, Mesh]:
    """Return closed surfaces of bounding radius 1 by name."""
    if quick:
        return {"icosphere": _mesh(trimesh.creation.icosphere(subdivisions=2))}
    torus = trimesh.creation.torus(0.75, 0.25, major_sections=78, minor_sections=39)
    return {
        "icosphere 1280": _mesh(trimesh.creation.icosphere(subdivisions=3)),
        "icosphere 5120": _mesh(trimesh.creation.icosphere(subdivisions=4)),
        "torus 6084": _mesh(torus),
    }


def _mesh(made: trimesh.Trimesh) -> Mesh:
    return Mesh(made.vertices, made.faces)


def directions(n: int, rng: np.random.Generator) -> Floats:
    """Return uniformly distributed unit vectors (n, 3)."""
    way = rng.standard_normal((n, 3))
    return np.asarray(way / np.linalg.norm(way, axis=1)[:, None])


def quaternions(n: int, rng: np.random.Generator) -> Floats:
    """Return uniformly distributed orientations (n, 4) w, x, y, z."""
    return np.asarray(Rotation.random(n, rng=rng).as_quat(scalar_first=True))


def sideways(way: Floats, reach: float, rng: np.random.Generator) -> Floats:
    """Return vectors (n, 3) perpendicular to the unit vectors `way`, uniform on a disc of radius `reach`."""
    side = np.cross(way, directions(len(way), rng))
    length = reach * np.sqrt(rng.uniform(0.0, 1.0, len(way)))
    return np.asarray(side * (length / np.linalg.norm(side, axis=1))[:, None])


def matrices(quats: Floats, positions: Floats) -> Floats:
    """Return poses (n, 4, 4)."""
    out = np.zeros((len(quats), 4, 4))
    out[:, :3, :3] = rotations(quats)
    out[:, :3, 3] = positions
    out[:, 3, 3] = 1.0
    return out


def near_contact(mesh: Mesh, n: int, seed: int) -> Floats:
    """Return poses (n, 4, 4) of a second mesh slightly before its first touch (even rows: no contact) or beyond it (odd
    rows), from all sides at random orientations."""
    rng = np.random.default_rng(seed)
    kept: list[Floats] = []
    while sum(map(len, kept)) < n:
        way, quats = directions(n, rng), quaternions(n, rng)
        start = _FAR * way + sideways(way, 0.5, rng)
        touch = time_of_impact(mesh, mesh, Motion(), Motions(start, -way, orientations=quats), 2.0 * _FAR, threads=1)
        assert touch is not None
        hit = np.isfinite(touch.time)
        time = np.asarray(touch.time)[hit]
        kept.append(matrices(quats[hit], start[hit] - time[:, None] * way[hit]))
        outwards = _NEAR * rng.uniform(0.0, 1.0, len(time)) * np.where(np.arange(len(time)) % 2, -1.0, 1.0)
        kept[-1][:, :3, 3] += outwards[:, None] * way[hit]
    return np.concatenate(kept)[:n]


@dataclass(frozen=True)
class Flights:
    """Flights of a second mesh past the first, which is at rest at the origin, over one second."""

    motions: Motions

    def __len__(self) -> int:
        return len(self.motions.positions)

    def rows(self, at: NDArray[np.int64]) -> Flights:
        """Return some of the flights."""
        m = self.motions
        return Flights(Motions(m.positions[at], m.velocities[at], orientations=m.orientations[at], spins=m.spins[at]))

    def poses_at(self, times: Floats) -> Floats:
        """Return the pose (n, 4, 4) of each flight at its own time (n,)."""
        m = self.motions
        quats = turned_quaternions(m.orientations, m.spins, times)
        return matrices(quats, m.positions + times[:, None] * m.velocities)


def crossing_flights(mesh: Mesh, n: int, spin: float, seed: int) -> Flights:
    """Return n flights across, from 2.5 radii on one side to 2.5 on the other, turning by `spin` radians about random axes.
    Even rows touch, odd rows miss: paths are uniform up to 2.2 radii from the centre and then sorted."""
    rng = np.random.default_rng(seed)
    hits: list[Flights] = []
    misses: list[Flights] = []
    half = (n + 1) // 2
    while min(sum(map(len, hits)), sum(map(len, misses))) < half:
        way = directions(2 * n, rng)
        motions = Motions(
            2.5 * way + sideways(way, 2.2, rng),
            -5.0 * way,
            orientations=quaternions(2 * n, rng),
            spins=spin * directions(2 * n, rng),
        )
        found = time_of_impact(mesh, mesh, Motion(), motions, 1.0, threads=1)
        assert found is not None
        touched = np.isfinite(found.time)
        hits.append(Flights(motions).rows(np.flatnonzero(touched)))
        misses.append(Flights(motions).rows(np.flatnonzero(~touched)))
    order = np.arange(2 * half).reshape(2, half).T.ravel()[:n]
    return _joined([_joined(hits).rows(np.arange(half)), _joined(misses).rows(np.arange(half))]).rows(order)


def _joined(parts: list[Flights]) -> Flights:
    columns = [
        np.concatenate([getattr(part.motions, name) for part in parts])
        for name in ("positions", "velocities", "orientations", "spins")
    ]
    return Flights(Motions(columns[0], columns[1], orientations=columns[2], spins=columns[3]))
