"""Polled bodies among rigid ones, at rates of their own and with every response, against a look at every polling instant.

A polled ball touches a ball or another polled ball when their centres are near enough. Where nothing responds, its contacts
follow from that question asked at every multiple of its interval: one where it is answered yes and was not the time before.
With any response two random ways, by broad phase, queue, cuts and saves, give the log of all pairs, bit for bit, and audits
pass.
"""

from __future__ import annotations

import numpy as np

from fuzz.cases.generate import pick
from fuzz.failure import Failure

_BROADS = (
    "auto", "kinetic", "kinetic-grid", "swept", "uniform-grid", "hash-grid", "aabb-tree", "space-time", "vadop",
    "kinetic-vadop",
)  # fmt: skip
_QUEUES = ("tournament", "pairing", "heap4", "fibonacci")
_RATES = (1.0, 2.5, 3.0, 7.0, 10.0, 64.0, 1.0 / 3.0)
_RESPONSES = ("None", "None", "carom.Elastic()", "carom.Elastic(0.5)", "turn", "leave")


def cases(seed: int) -> None:
    """Run one case; raises Failure with its script."""
    script = _script(np.random.default_rng(seed))
    try:
        exec(compile(script, f"polled, seed {seed}", "exec"), {"__name__": "case"})
    except Exception as error:  # whatever it is, it is wrong
        words = (str(error) or type(error).__name__).replace("\n", " ").replace('"', "'")[:500]
        raise Failure(f'"""{words} (seed {seed})"""\n{script}') from None


def _script(rng: np.random.Generator) -> str:
    n_polled, n_balls = int(rng.integers(1, 4)), int(rng.integers(1, 6))
    response = pick(rng, _RESPONSES)
    bodies = []
    for k in range(n_polled + n_balls):
        place = rng.normal(size=3) * pick(rng, (1.0, 2.0, 4.0))
        speed = -place * rng.uniform(0.0, 0.6) + rng.normal(size=3) * 0.3
        pull = rng.normal(size=3) * 0.2 * (rng.random() < 0.3)
        radius, rate = float(rng.uniform(0.2, 0.8)), pick(rng, _RATES) if k < n_polled else 0.0
        lasts = pick(rng, (0.0, 0.0, 0.3, 1.0)) if rate else 0.0
        mass = pick(rng, ("1.0", "2.0", "float('inf')"))
        course = f"{place.tolist()}, {speed.tolist()}, {pull.tolist()}"
        bodies.append(f"    ({radius!r}, {rate!r}, {lasts!r}, {mass}, {course}),")
    until = pick(rng, (1.0, 4.0, 9.0))
    ways = []
    for _ in range(2):
        cuts = np.sort(rng.uniform(0.0, until, int(rng.integers(0, 6)))).tolist()
        ways.append(f"    ({pick(rng, _BROADS)!r}, {pick(rng, _QUEUES)!r}, {cuts}, {bool(rng.random() < 0.3)}),")
    told = f"RESPONSE, UNTIL = {response}, {until!r}"
    return "\n".join([_BEGIN, "BODIES = [", *bodies, "]", told, "WAYS = [", *ways, "]", _END])


_BEGIN = '''
import numpy as np

import carom


def meets(world, body, other, t):
    ids = world.bodies.tolist()
    here, there = world.positions(t)[[ids.index(body), ids.index(other)]]
    return bool(np.linalg.norm(there - here) <= BODIES[body][0] + BODIES[other][0])


def turn(world, contact):
    """Send both bodies back where they came from."""
    for body in (contact.a, contact.b):
        m = world.motion(body)
        back = -m.velocity_at(contact.time)
        world.set_motion(body, carom.Motion(m.position_at(contact.time), back, start=contact.time))


def leave(world, contact):
    """Change nothing."""


# Radius, polls per second (0: a rigid ball), seconds for which bounds hold (0: for ever), mass; position, velocity,
# acceleration.
'''
_END = '''

def polled(radius, rate, lasts):
    lower, upper = [(-radius, 0, 0)] * 3, [(radius, 0, 0)] * 3
    if lasts == 0.0:
        return carom.Polled(carom.KineticBounds(lower, upper), meets, rate)
    return carom.Polled(lambda t: carom.KineticBounds(lower, upper, start=t, expires=t + lasts), meets, rate)


def run(broad, queue, cuts, saves):
    world = carom.World(broad, RESPONSE, queue=queue)
    for radius, rate, lasts, mass, *motion in BODIES:
        world.add(polled(radius, rate, lasts) if rate else carom.Sphere(radius), carom.Motion(*motion), mass)
    logs = []
    for t in [*cuts, UNTIL]:
        logs.append(world.advance(t))
        world.audit()
        if saves:
            shapes = [world.shape(body) for body in world.bodies]
            world = carom.World.restore(world.snapshot(), shapes, RESPONSE, broad=broad, queue=queue)
    return carom.ContactLog.concatenate(logs)


def outcome(*way):
    """The log, or where the response let bodies touch again at one instant for ever."""
    try:
        return run(*way)
    except carom.CaromError as error:
        if "do not come to an end: the response lets them approach again" not in str(error):
            raise
        return str(error)


def place(body, t):
    position, velocity, acceleration = (np.array(part) for part in BODIES[body][4:])
    return position + t * velocity + 0.5 * t * t * acceleration


def expected(a, b):
    """Polling instants at which contacts of a and b begin; None where rounding decides."""
    rate, reach = max(BODIES[a][1], BODIES[b][1]), BODIES[a][0] + BODIES[b][0]
    times, before = [], False
    for k in range(int(UNTIL * rate + 1e-9) + 1):
        gap = float(np.linalg.norm(place(b, k / rate) - place(a, k / rate))) - reach
        if abs(gap) < 1e-9 or (k == 0 and gap < 0.0) or abs(k / rate - UNTIL) < 1e-9:
            return None
        if gap < 0.0 and not before:
            times.append(k / rate)
        before = gap < 0.0
    return times


whole = outcome("all-pairs", "tournament", [], False)
for way in WAYS:
    other = outcome(*way)
    same = other == whole if isinstance(whole, str) or isinstance(other, str) else other.identical(whole)
    assert same, f"log: {whole} of all pairs, {other} of {way}"
if RESPONSE is None:
    for a in range(len(BODIES)):
        for b in range(a + 1, len(BODIES)):
            times = expected(a, b) if max(BODIES[a][1], BODIES[b][1]) > 0.0 else None
            if times is not None:
                found = [contact.time for contact in whole if (contact.a, contact.b) == (a, b)]
                assert len(found) == len(times) and np.allclose(found, times, rtol=0.0, atol=1e-9), (
                    f"contacts: of {a} and {b} at {found}, expected at {times}"
                )
'''
