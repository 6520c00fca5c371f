"""Bodies and their motions as a scheduler sees them: it can only test instants."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

import numpy as np
from numpy.typing import NDArray

from carom import validate
from carom.bounds.polled import Polled
from carom.boxes.still_boxes import find_pairs
from carom.errors import InvalidInputError
from carom.maths.fixed_order import length
from carom.motion import Keyframes, Motion
from carom.queries.still import collide, distance
from carom.shapes import Shape
from carom.world.world import World

Floats = NDArray[np.float64]
Body = tuple[Shape, Motion | Keyframes]


@dataclass(frozen=True)
class Sighting:
    """A pair a < b, seen in contact at `time`, s, at the distance `distance`, m (0 if the bodies overlapped)."""

    time: float
    a: int
    b: int
    distance: float


class System:
    """Bodies with their motions, in the order given. `checks` counts the pairs tested.

    Parameters
    ----------
    bodies : sequence of (shape, motion), or World
        The bodies. Those of a world continue their current motions and follow their keyframes.

    Raises
    ------
    InvalidInputError
        An argument is malformed, or a body of the world has no known path (guided, deforming, polled).
    """

    def __init__(self, bodies: Sequence[Body] | World) -> None:
        if isinstance(bodies, World):
            for k in bodies.bodies:
                _check_followed(bodies, int(k))
            self.ids = [int(k) for k in bodies.bodies]
            self.bodies: list[Body] = [(bodies.shape(k), bodies.keyframes(k) or bodies.motion(k)) for k in self.ids]
            self.start = bodies.time
        else:
            self.bodies = [_checked(k, body) for k, body in enumerate(bodies)]
            self.ids = list(range(len(self.bodies)))
            self.start = max((m.start for _, m in self.bodies if isinstance(m, Motion)), default=0.0)
        self.checks = 0
        self._reach = [_reach(shape) for shape, _ in self.bodies]

    def pairs(self) -> list[tuple[int, int]]:
        """Return all pairs of rows."""
        return list(combinations(range(len(self.bodies)), 2))

    def touching(self, i: int, j: int, t: float) -> bool:
        """Return whether rows i and j overlap or touch at time t."""
        self.checks += 1
        (a, motion_a), (b, motion_b) = self.bodies[i], self.bodies[j]
        return bool(collide(a, b, motion_a.pose_at(t), motion_b.pose_at(t), contacts="none", threads=1).hit)

    def apart(self, i: int, j: int, t: float) -> float:
        """Return the distance of rows i and j at time t, m."""
        self.checks += 1
        (a, motion_a), (b, motion_b) = self.bodies[i], self.bodies[j]
        return float(distance(a, b, motion_a.pose_at(t), motion_b.pose_at(t), threads=1).distance)

    def closing(self, i: int, j: int, t: float, tau: float) -> float:
        """Return an upper bound of the distance by which rows i and j can approach each other from t to t + tau, m."""
        pieces = [_pieces_between(self.bodies[k][1], t, t + tau) for k in (i, j)]
        total = 0.0
        for k, parts in zip((i, j), pieces, strict=True):
            for begin, end, motion in parts:
                span = end - begin
                speed = float(length(motion.velocity_at(begin)))
                turn = float(length(motion.spin))
                total += span * (speed + 0.5 * span * float(length(motion.acceleration)))
                total += 0.0 if turn == 0.0 else span * turn * self._reach[k]
        return total

    def boxes_meet(self, begin: float, end: float) -> list[tuple[int, int]]:
        """Return the pairs of rows whose boxes, swept from `begin` to `end`, overlap (Mirtich's moving bounding boxes)."""
        low, high = np.empty((len(self.bodies), 3)), np.empty((len(self.bodies), 3))
        for k, (shape, motion) in enumerate(self.bodies):
            corners = [_box_at(shape, motion.pose_at(begin))]
            for first, last, piece in _pieces_between(motion, begin, end):
                still = _box_at(shape, piece.pose_at(first)) if not piece.spin.any() else _ball_at(shape, piece, first)
                for along in (first, last, *_turning_points(piece, first, last)):
                    shift = piece.position_at(along) - piece.position_at(first)
                    corners.append((still[0] + shift, still[1] + shift))
            low[k] = np.min([c[0] for c in corners], axis=0)
            high[k] = np.max([c[1] for c in corners], axis=0)
        pad = 1e-9 * np.where(np.isfinite(high - low), high - low, 0.0)
        return [(int(i), int(j)) for i, j in find_pairs(low - pad, high + pad)]


def in_order(found: Iterable[Sighting]) -> list[Sighting]:
    """Return sightings in the order of time and ids."""
    return sorted(found, key=lambda s: (s.time, s.a, s.b))


def stepped(
    system: System, step: float, until: float, sighting: Callable[[int, int, float, float], Sighting]
) -> list[Sighting]:
    """Check all pairs every `step` seconds up to `until`; sighting(i, j, before, t) describes a pair that touches at t."""
    end = validate.moment("until", until)
    found: dict[tuple[int, int], Sighting] = {}
    k = 0
    while (t := system.start + k * step) <= end:
        for i, j in system.boxes_meet(t, t):
            if (i, j) not in found and system.touching(i, j, t):
                found[i, j] = sighting(i, j, system.start if k == 0 else t - step, t)
        k += 1
    return in_order(found.values())


def _check_followed(world: World, body: int) -> None:
    """Refuse a body whose motion is more than its present one says."""
    if world.is_deforming(body):
        raise InvalidInputError(f"body {body} of the world is deforming; expected rigid ones")
    if world.is_guided(body):
        raise InvalidInputError(f"body {body} of the world is guided; expected one whose path is known")
    if isinstance(world.shape(body), Polled):
        raise InvalidInputError(f"body {body} of the world is polled; expected one with a shape of its own")


def _checked(row: int, body: object) -> Body:
    if not isinstance(body, tuple) or len(body) != 2:
        raise InvalidInputError(f"bodies[{row}] is {body!r}; expected (shape, motion)")
    shape, motion = body
    if not isinstance(shape, Shape):
        raise InvalidInputError(f"bodies[{row}][0] is {shape!r}; expected a carom shape")
    if not isinstance(motion, Motion | Keyframes):
        raise InvalidInputError(f"bodies[{row}][1] is {motion!r}; expected a carom.Motion or Keyframes")
    return shape, motion


def _reach(shape: Shape) -> float:
    centre, radius = shape.bounding_sphere()
    return float(length(centre)) + radius


def _pieces_between(motion: Motion | Keyframes, begin: float, end: float) -> list[tuple[float, float, Motion]]:
    if isinstance(motion, Motion):
        return [(begin, end, motion)]
    cuts = [begin, *(float(t) for t in motion.times if begin < t < end), end]
    return [(a, b, motion.piece_at(a)) for a, b in pairwise(cuts)]


def _turning_points(motion: Motion, begin: float, end: float) -> list[float]:
    """Times between begin and end at which a coordinate turns back."""
    out = []
    for v, a in zip(motion.velocity_at(begin), motion.acceleration, strict=True):
        if a != 0.0 and 0.0 < -v / a < end - begin:
            out.append(begin - v / a)
    return out


def _box_at(shape: Shape, pose: Floats) -> tuple[Floats, Floats]:
    axes = pose[:3, :3]
    low, high = shape.extents_along(axes, np.array([1.0, 0.0, 0.0, 0.0]))
    return pose[:3, 3] + low, pose[:3, 3] + high


def _ball_at(shape: Shape, motion: Motion, t: float) -> tuple[Floats, Floats]:
    reach = _reach(shape)
    return motion.position_at(t) - reach, motion.position_at(t) + reach
