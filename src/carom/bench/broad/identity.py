"""The same contacts, bit for bit, with every broad phase."""

from __future__ import annotations

from collections.abc import Sequence

from carom.bench.broad.methods import GRID, SWEPT, Method
from carom.bench.broad.runs import joined, up_to
from carom.bench.broad.scenes import SCENES
from carom.bench.progress import Bar
from carom.bench.report import Cell, Table
from carom.errors import AuditError
from carom.scenes.scene import Scene
from carom.types import ContactLog

COLUMNS = ("scene", "objects", "contacts", "simulated s", "methods compared")
LONG_SCENE = "gas 0.3"

_FIRST_STEP = 0.1
_LONGEST = 1e5  # Seconds after which a scene with too few contacts ends


def until_contacts(scene: Scene, method: Method, contacts: int) -> ContactLog:
    """Simulate at least this number of contacts, in steps that double."""
    world = scene.build(broad=method.broad, **method.options)
    logs: list[ContactLog] = []
    step, found = _FIRST_STEP, 0
    while found < contacts and world.time < _LONGEST:
        logs.append(world.advance(world.time + step))
        found += len(logs[-1])
        step = 2.0 * step if len(logs[-1]) < 0.5 * (contacts - found) else step
    return joined(logs)


def require_identical(scene: Scene, methods: Sequence[Method], contacts: int) -> tuple[int, float]:
    """Compare all methods with the first; returns the number of contacts and the time of the last.

    AuditError if one differs.
    """
    first, *others = methods
    log = until_contacts(scene, first, contacts)
    end = float(log.times[-1]) if len(log) else _LONGEST
    log = up_to(log, end)
    for method in others:
        found = scene.build(broad=method.broad, **method.options).advance(end)
        if not found.identical(log):
            raise AuditError(
                f"{scene.name}: {method.name} reports {len(found)} contacts that differ from the {len(log)} of "
                f"{first.name}"
            )
    return len(log), end


def measure_identity(methods: Sequence[Method], quick: bool, bar: Bar) -> Table:
    """Run small scenes with all broad phases; one large gas with the kinetic grid and boxes swept per frame."""
    n, contacts = (60, 60) if quick else (1000, 2000)
    rows: list[tuple[Cell, ...]] = []
    for name, chosen in bar.track(list(SCENES.items()), "the same contacts?"):
        usable = [method for method in methods if n <= method.most]
        rows.append((name, n, *require_identical(chosen.make(n), usable, contacts), len(usable)))
    n, contacts = (200, 1000) if quick else (10_000, 200_000)
    pair = long_pair(methods)
    for _ in bar.track([0], f"the same {contacts:,} contacts?"):
        scene = SCENES[LONG_SCENE].make(n)
        rows.append((LONG_SCENE, n, *require_identical(scene, pair, contacts), len(pair)))
    return Table("broad_identity", "Contacts that are the same, bit for bit, through all broad phases", COLUMNS, rows)


def long_pair(methods: Sequence[Method]) -> list[Method]:
    """Return the kinetic grid, and boxes swept over frames of 1/30 s, which have least in common with it."""
    by_name = {method.name: method for method in methods}
    return [by_name[GRID], by_name[f"{SWEPT}, 30 Hz"]]
