"""Rigid bodies that bounce, turn and fall between bumpy deforming sheets: never into a sheet, and no contact that is none."""

from __future__ import annotations

from typing import Any

import numpy as np

import carom
from fuzz.cases.calls import Call, made, source
from fuzz.cases.generate import pick, quaternion, shape
from fuzz.failure import check_case
from fuzz.oracle.flight import motion_row
from fuzz.oracle.pieces import Pieces, hull, pieces_of
from fuzz.subjects.deforming import against, vertices_at

_UNTIL = 1.5
_SAMPLES = 30
_MOST_CONTACTS = 150
"""Bodies that rest hop some hundred times per second: a case ends after as many contacts."""
_RUSH = 1e-4
"""Seconds. As many contacts within them have no end."""
_KINDS = ("Box", "Box", "Convex", "Tetrahedron", "Cylinder", "Cone", "Capsule", "Sphere", "BoxMesh")
_TETRAHEDRON = [[0.5, 0.5, 0.5], [0.5, -0.5, -0.5], [-0.5, 0.5, -0.5], [-0.5, -0.5, 0.5]]
_CORNERS = [[x, y, z] for x in (-0.5, 0.5) for y in (-0.25, 0.25) for z in (-0.125, 0.125)]
_SIDES = [
    [0, 2, 6], [6, 4, 0], [0, 4, 5], [5, 1, 0], [4, 6, 5], [5, 6, 7],
    [3, 2, 0], [0, 1, 3], [3, 6, 2], [7, 6, 3], [1, 5, 3], [3, 5, 7],
]  # fmt: skip


def cases(seed: int) -> None:
    """Run one random case."""
    check_case(seed, random_case, _fault, script)


def random_case(rng: np.random.Generator) -> dict[str, Any]:
    neat = rng.random() < 0.4
    sheets = [_sheet(rng, z) for z in ((0.0,) if rng.random() < 0.5 else (0.0, 3.0))]
    kind = pick(rng, _KINDS)
    match kind:
        case "Tetrahedron":
            body = Call("Convex", points=_TETRAHEDRON)
        case "BoxMesh":
            body = Call("Mesh", vertices=_CORNERS, faces=_SIDES)
        case _:
            body = shape(rng, kind, 0.8, neat)
    if neat:
        place = [pick(rng, (0.0, 0.5, -0.5)), pick(rng, (0.0, 0.5, 1.0)), 1.5]
        speed = [pick(rng, (0.0, 0.5, -0.5)), pick(rng, (0.0, 0.25)), pick(rng, (-2.0, -1.0, 1.0))]
        turned = pick(rng, ([1.0, 0.0, 0.0, 0.0], [0.9238795325112867, 0.0, 0.3826834323650898, 0.0]))
    else:
        place = [*rng.uniform(-1.0, 1.0, 2).tolist(), 1.5]
        speed = (rng.normal(size=3) * (0.5, 0.5, 1.5)).tolist()
        turned = quaternion(rng)
    way = Call(
        "Motion",
        position=place,
        velocity=speed,
        acceleration=[0.0, 0.0, pick(rng, (0.0, 0.0, -2.0, -9.8))],
        orientation=turned,
        spin=(rng.normal(size=3) * pick(rng, (0.0, 0.0, 1.0, 3.0))).tolist(),
    )
    entry = {"shape": body, "motion": way, "inertia": pick(rng, (None, 0.1, 0.05, 0.01))}
    restitution = pick(rng, (1.0, 1.0, 0.5, 0.0, 0.9))
    return {"sheets": sheets, "body": entry, "restitution": restitution, "first": bool(rng.random() < 0.5)}


def _sheet(rng: np.random.Generator, z: float) -> Call:
    """A square grid about the height z that moves as a whole from key to key, flat or with bumps of its own at each key."""
    m, keys = int(pick(rng, (2, 2, 3, 4))), int(rng.integers(2, 6))
    along = np.linspace(-1.0, 1.0, m) * pick(rng, (1.0, 1.5, 2.0))
    flat = np.array([(x, y, z) for x in along for y in along])
    faces = []
    for i in range(m - 1):
        for j in range(m - 1):
            a, b, c, d = i * m + j, i * m + j + 1, (i + 1) * m + j, (i + 1) * m + j + 1
            faces += [[a, c, b], [b, c, d]] if rng.random() < 0.5 else [[a, c, d], [a, d, b]]
    bump = pick(rng, (0.0, 0.1))
    shifts = np.stack(
        [pick(rng, (0.0, 0.25, -0.25)) * np.ones(keys) * rng.integers(0, 2, keys) for _ in range(3)], axis=1
    )
    vertices = flat + shifts[:, None]
    vertices[:, :, 2] += rng.uniform(-bump, bump, vertices.shape[:2])
    times = np.concatenate([[0.0], np.cumsum(rng.choice([0.25, 0.5, 0.75, 1.0], keys - 1))])
    return Call("Deforming", faces=faces, times=times.tolist(), vertices=vertices.tolist())


def script(case: dict[str, Any]) -> str:
    lines = ["import carom\n", f"sheets = {source(case['sheets'])}", f"body = {source(case['body'])}"]
    lines += [f"world = carom.World('all-pairs', carom.Elastic({case['restitution']}))"]
    adds = ["world.add(**body)", "for sheet in sheets:\n    world.add(sheet)"]
    lines += adds if case["first"] else adds[::-1]
    lines += [f"for c in world.advance({_UNTIL}):", "    print(repr(c.time), c.point, c.normal, c.speed, c.status)"]
    return "\n".join(lines) + "\n"


def _fault(case: dict[str, Any]) -> str | None:
    sheets, entry = made(case["sheets"]), made(case["body"])
    world = carom.World("all-pairs", carom.Elastic(case["restitution"]))
    if case["first"]:
        body = world.add(**entry)
    ids = [world.add(sheet) for sheet in sheets]
    if not case["first"]:
        body = world.add(**entry)
    # A mesh is a surface: what comes into it unseen is in the solid of the same corners.
    solid = entry["shape"]
    pieces = hull(solid.vertices) if isinstance(solid, carom.Mesh) else pieces_of(solid)
    slack = 1e-9 * 8.0
    if _deepest(world, body, pieces, sheets, 0.0) > 0.0:
        return None
    samples, times = np.linspace(0.0, _UNTIL, _SAMPLES + 1)[1:].tolist(), [-np.inf]
    while samples and len(times) <= _MOST_CONTACTS:
        until = max(min(world.next_event_time(), samples[0]), world.time)
        if until == samples[0]:
            samples.pop(0)
        log = world.advance(until)
        for contact in log:
            times.append(contact.time)
            wrong = _wrong_contact(
                world, body, pieces, sheets[ids.index(min(set(ids) & {contact.a, contact.b}))], contact
            )
            if wrong is not None:
                return wrong
        if len(log) or until == _UNTIL or len(samples) % 3 == 0:
            depth = _deepest(world, body, pieces, sheets, world.time)
            if depth > 100.0 * slack:
                world.audit()
                return f"inside: by {depth:.3g} at {world.time!r}"
            world.audit()
        if len(times) > 100 and times[-1] - times[-100] < _RUSH:
            return f"rush: 100 contacts up to {times[-1]!r}"
    return None


def _row(world: carom.World, body: int, time: float) -> np.ndarray:
    """Where the body is, as the oracle reads a motion."""
    k = list(world.bodies).index(body)
    return motion_row(carom.Motion(world.positions(time)[k], orientation=world.orientations(time)[k], start=time))


def _deepest(world: carom.World, body: int, pieces: Pieces, sheets: list[Any], time: float) -> float:
    row = _row(world, body, time)
    return max(float(against(sheet, pieces, row, time)[2]) for sheet in sheets)


def _wrong_contact(world: carom.World, body: int, pieces: Pieces, sheet: Any, contact: Any) -> str | None:
    """A body that was apart has contacts at which it touches, whose normals keep the two apart."""
    if contact.status == 1:
        return f"overlap: at {contact.time!r}"
    triangle = contact.feature_b if contact.a == body else contact.feature_a
    one = carom.Deforming(sheet.faces[[triangle]], sheet.times, sheet.vertices)
    if against(one, pieces, _row(world, body, contact.time), contact.time)[0] > 4e-8:
        return f"false: apart from triangle {triangle} at {contact.time!r}"
    toward = contact.normal if contact.b == body else -contact.normal
    beyond = float(((vertices_at(one, contact.time)[one.faces[0]] - contact.point) @ toward).max())
    if beyond > 1e-6:
        return f"normal: triangle {triangle} lies {beyond:.3g} beyond the contact at {contact.time!r}"
    return None
