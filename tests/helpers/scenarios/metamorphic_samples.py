"""Small worlds as plain data, for tests that change a scene in a way whose effect on the log is known."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

import carom
from carom.motion.turning import rotations


@dataclass(frozen=True)
class Flight:
    """A body: shape, mass, and the numbers of its motion."""

    shape: object
    position: np.ndarray
    velocity: np.ndarray
    acceleration: np.ndarray
    orientation: np.ndarray
    spin: np.ndarray
    mass: float = 1.0

    def motion(self, start: float = 0.0) -> carom.Motion:
        return carom.Motion(self.position, self.velocity, self.acceleration, self.orientation, self.spin, start)


ROUND = ("sphere", "capsule", "cylinder", "cone", "ellipsoid")
KINDS = ("sphere", "box", "convex", "mesh", "capsule", "cylinder", "cone", "ellipsoid")


def shape_of(kind: str, size: np.ndarray, points: np.ndarray) -> object:
    """A shape from three sizes and ten points."""
    match kind:
        case "sphere":
            return carom.Sphere(size[0])
        case "box":
            return carom.Box(2.0 * size)
        case "convex":
            return carom.Convex(points)
        case "mesh":
            hull = carom.Convex(points)
            return carom.Mesh(hull.vertices, hull.faces)
        case "capsule":
            return carom.Capsule(size[0], size[1])
        case "cylinder":
            return carom.Cylinder(size[0], size[1])
        case "ellipsoid":
            return carom.Ellipsoid(size)
    return carom.Cone(size[0], size[1])


def flights(seed: int, kinds=KINDS, *, n: int = 8, spins: bool = False, pushed: bool = False, scale: float = 1.0):
    """n bodies of the given kinds that cross a small region; scale multiplies every length exactly if it is a power of two."""
    rng = np.random.default_rng(seed)
    found = []
    for k in range(n):
        size, points = rng.uniform(0.3, 0.8, 3), rng.normal(size=(10, 3)) * 0.5
        place = rng.uniform(-3.0, 3.0, 3)
        velocity, push = -place * rng.uniform(0.2, 0.8) + rng.normal(size=3) * 0.3, rng.normal(size=3) * 0.3
        quat, spin = rng.normal(size=4), rng.normal(size=3)
        still = np.zeros(3)
        found.append(
            Flight(
                shape_of(kinds[k % len(kinds)], size * scale, points * scale),
                place * scale,
                velocity * scale,
                push * scale if pushed else still,
                quat / np.linalg.norm(quat),
                spin if spins else still,
                float(rng.uniform(0.5, 2.0)),
            )
        )
    return found


def log_of(bodies, until: float = 3.0, *, start: float = 0.0, looks=(), **options) -> carom.ContactLog:
    """The contacts of a world of these bodies up to start + until."""
    world = carom.World(start=start, **options)
    for body in bodies:
        world.add(body.shape, body.motion(start), mass=body.mass)
    logs = [world.advance(start + t) for t in (*looks, until)]
    return carom.ContactLog.concatenate(logs)


def turn() -> tuple[np.ndarray, np.ndarray]:
    """A unit quaternion and its rotation matrix."""
    quat = np.array([0.8, 0.2, -0.4, 0.4])
    return quat, rotations(quat[None])[0]


def multiplied(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """The product of two quaternions: first `other`, then `one`."""
    w, v, q, u = one[0], one[1:], other[0], other[1:]
    return np.concatenate([[w * q - v @ u], w * u + q * v + np.cross(v, u)])


def moved_rigidly(body: Flight, shift: np.ndarray) -> Flight:
    """The body in a frame that is turned and shifted."""
    quat, matrix = turn()
    return replace(
        body,
        position=matrix @ body.position + shift,
        velocity=matrix @ body.velocity,
        acceleration=matrix @ body.acceleration,
        orientation=multiplied(quat, body.orientation),
        spin=matrix @ body.spin,
    )


def rows(log: carom.ContactLog, names=None) -> list[tuple[int, int]]:
    """Pairs in the order of the log, their ids replaced by names, the smaller first."""
    known = range(1 + max(log.b.max(initial=0), log.a.max(initial=0))) if names is None else names
    return [tuple(sorted((known[a], known[b]))) for a, b in zip(log.a, log.b, strict=True)]
