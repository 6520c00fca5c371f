"""Guided bodies at random, and motions that keep their limits."""

from __future__ import annotations

import numpy as np

import carom


def random_guided(
    rng: np.random.Generator, spread: float = 5.0, speed: float = 2.0, expires: float | None = None
) -> carom.Guided:
    """A body with random limits; sometimes without a direction, with a speed limit, or unable to accelerate."""
    velocity = rng.uniform(-speed, speed, 3) * (rng.random() < 0.9)
    return carom.Guided(
        rng.uniform(-spread, spread, 3),
        velocity,
        float(rng.uniform(0.0, 4.0)) * (rng.random() < 0.9),
        float(rng.uniform(0.1, 2.0)) if expires is None else expires,
        rng.normal(size=3) if rng.random() < 0.7 else None,
        max_speed=float(np.linalg.norm(velocity) * rng.uniform(1.0, 2.0)) if rng.random() < 0.3 else np.inf,
    )


def random_path(body: carom.Guided, rng: np.random.Generator, steps: int = 40) -> tuple[np.ndarray, np.ndarray]:
    """Times (steps + 1,) and places of a motion whose acceleration, constant in each step, keeps all limits of the body."""
    times = np.linspace(body.start, body.expires, steps + 1)
    dt = times[1] - times[0]
    place, velocity = body.position.copy(), body.velocity.copy()
    places = [place.copy()]
    steady = rng.normal(size=3)
    for _ in range(steps):
        # Half of all motions push with all their might in one direction, where bounds are tight.
        push = steady if rng.random() < 0.8 else rng.normal(size=3)
        push = push / np.linalg.norm(push) * body.max_acceleration
        if body.direction is not None and push @ body.direction > 0.0:
            push -= (push @ body.direction) * body.direction
        if np.linalg.norm(velocity + push * dt) > body.max_speed:
            push = np.zeros(3)
        place = place + velocity * dt + 0.5 * push * dt * dt
        velocity = velocity + push * dt
        places.append(place.copy())
    return times, np.array(places)
