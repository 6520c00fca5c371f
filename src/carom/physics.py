"""Statistics of a hard-sphere gas: collision rate, mean free time, pressure, diffusion.

Units are those of the world; temperature is kT, an energy.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from carom import validate
from carom.errors import InvalidInputError
from carom.response import Elastic
from carom.shapes import Sphere
from carom.types import ContactLog
from carom.world.world import World

Floats = NDArray[np.float64]


def carnahan_starling(packing: float) -> float:
    """Return the compressibility p V / (N kT) of equal hard spheres (Carnahan and Starling, J. Chem. Phys. 51, 635, 1969)."""
    square, room = packing * packing, 1.0 - packing
    return (1.0 + packing + square - packing * square) / (room * room * room)


def virial_series(packing: float) -> float:
    """Return the compressibility of equal hard spheres from ten virial coefficients (Clisby and McCoy, 2006).

    Up to packing 0.3 it is more precise than the equation of Carnahan and Starling; there it is too small by about 1e-4. At
    0.25 it is 0.2 % larger than theirs. Journal of Statistical Physics 122, 15.
    """
    coefficients = (1.0, 4.0, 10.0, 18.364768, 28.2245, 39.8151, 53.3444, 68.538, 85.8128, 105.7751)
    total = 0.0
    for coefficient in reversed(coefficients):
        total = total * packing + coefficient
    return total


@dataclass(frozen=True)
class GasReport:
    """Measurements of a gas over an interval of time."""

    seconds: float
    collisions: int
    """Number of collisions of two bodies, without those with walls."""
    collision_rate: float
    """Collisions of the whole gas per second."""
    mean_free_time: float
    """Mean time between two collisions of one body, s; inf without collisions."""
    temperature: float
    """kT at the end, from the velocities about their mean."""
    packing: float
    """Volume of the bodies over that of the box."""
    pressure: float
    """From the virial theorem: kinetic energy and the impulses of all collisions."""
    compressibility: float
    """p V / (N kT)."""
    carnahan_starling: float
    """Value of the Carnahan-Starling equation at this packing, for equal spheres."""
    mean_square_displacement: float
    """Squared length, over `seconds`."""
    diffusion: float
    """mean_square_displacement / (6 seconds)."""


class GasMeter:
    """A meter for a gas of spheres.

    Create the meter when the gas has equilibrated, pass every log to `add`, and read `report()`.

    Parameters
    ----------
    world : World
        The gas.
    volume : float, optional
        Volume of the box. Default: that of a periodic world.
    room : float, optional
        Volume that the centres can reach, if walls exclude a part. The pressure is then that on the walls. Default:
        `volume`.
    """

    def __init__(self, world: World, volume: float | None = None, room: float | None = None) -> None:
        radii = {int(b): shape.radius for b in world.bodies if isinstance(shape := world.shape(int(b)), Sphere)}
        spheres = list(radii)
        if len(spheres) < 2:
            raise InvalidInputError(f"world has {len(spheres)} spheres; expected at least 2")
        if volume is None:
            if not np.all(world.periodic > 0.0):
                raise InvalidInputError("volume is missing; expected a number, since the world is not periodic")
            volume = float(np.prod(world.periodic))
        self.volume = validate.positive("volume", volume)
        self.room = self.volume if room is None else validate.positive("room", room)
        self._world = world
        self._bodies = np.asarray(spheres, np.int64)
        self._place = np.full(int(world.bodies.max()) + 1, -1, np.int64)
        self._place[self._bodies] = np.arange(len(spheres))
        self._radii = np.array(list(radii.values()))
        order = np.searchsorted(world.bodies, self._bodies)
        self._order = order
        self._masses = world.masses[order]
        self._start = world.time
        self._from = world.positions()[order]
        self._collisions = 0
        self._virial = 0.0
        restitution = world.response.restitution if isinstance(world.response, Elastic) else 0.0
        self._bounce = 1.0 + restitution

    def add(self, log: ContactLog) -> None:
        """Count the contacts of an interval of time; logs must follow one another without a gap."""
        a, b = self._place[log.a], self._place[log.b]
        pair = (a >= 0) & (b >= 0)
        a, b = a[pair], b[pair]
        reduced = 1.0 / (1.0 / self._masses[a] + 1.0 / self._masses[b])
        distance = self._radii[a] + self._radii[b]
        self._virial += float(np.sum(self._bounce * reduced * log.speeds[pair] * distance))
        self._collisions += len(a)

    def report(self) -> GasReport:
        """Return all measurements since the meter was created."""
        world, n = self._world, len(self._bodies)
        seconds = world.time - self._start
        velocities = world.velocities()[self._order]
        drift = (self._masses[:, None] * velocities).sum(axis=0) / self._masses.sum()
        kinetic = float(np.sum(self._masses * np.sum((velocities - drift) ** 2, axis=1)))
        # Without walls the total momentum is conserved, which removes three degrees of freedom.
        temperature = kinetic / (3 * (n - 1 if self._world.periodic.all() else n))
        moved = world.positions()[self._order] - self._from
        msd = float(np.mean(np.sum((moved - moved.mean(axis=0)) ** 2, axis=1)))
        packing = float(np.sum(4.0 / 3.0 * np.pi * self._radii * self._radii * self._radii)) / self.volume
        virial = self._virial / (3.0 * seconds) if seconds > 0.0 else 0.0
        pressure = (n * temperature + virial) / self.room
        return GasReport(
            seconds=seconds,
            collisions=self._collisions,
            collision_rate=self._collisions / seconds if seconds > 0.0 else 0.0,
            mean_free_time=n * seconds / (2.0 * self._collisions) if self._collisions else np.inf,
            temperature=temperature,
            packing=packing,
            pressure=pressure,
            compressibility=pressure * self.volume / (n * temperature) if temperature > 0.0 else np.inf,
            carnahan_starling=carnahan_starling(packing),
            mean_square_displacement=msd,
            diffusion=msd / (6.0 * seconds) if seconds > 0.0 else 0.0,
        )
