"""Whatever a snapshot holds, restoring it gives one clear error or a world that runs."""

from __future__ import annotations

import io
import zlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import carom
from carom.runfile.pack import pack_arrays, unpack_arrays
from scenarios.copied_samples import elastic, of_every_kind, periodic
from scenarios.worlds import random_mix

Snapshot = dict[str, Any]

NUMBERS = (np.nan, np.inf, -np.inf, 1e300, -1e300, 1e60, -1.0, 2.0**31 - 1.0, -(2.0**31), 2.0**63, 0.5, 1e-300)
BUDGET = 0.02
FAST = 1e4
"""rad/s"""


def tumbling() -> carom.World:
    """Spinning bodies of all shapes that bounce, after the time origin has moved."""
    world = random_mix(9, True, response=carom.Elastic(0.7), broad="kinetic", start=-70000.0)
    world.advance(-69999.0)
    return world


WORLDS: dict[str, Callable[[], carom.World]] = {
    "every kind": lambda: of_every_kind("kinetic-grid"),
    "elastic": lambda: elastic("kinetic", "tournament"),
    "periodic": periodic,
    "tumbling": tumbling,
}


def altered(array: np.ndarray, rng: np.random.Generator) -> Iterator[tuple[str, Any]]:
    """The array, altered in many ways, each with a name."""
    yield "object", np.array([*array.ravel().tolist(), print], object)
    yield "a list", array.tolist()
    yield "nothing", None
    yield "text", np.array(["0"] * max(1, array.size))
    yield "one axis more", array[None]
    yield "flat", array.reshape(-1)[: max(1, array.size - 1)]
    yield "no row", array[:0] if array.ndim else np.zeros(0)
    for kind in (np.float32, np.int64, np.int8, np.complex128, np.bool_):
        if array.dtype.kind not in "U" and array.dtype != kind:
            with np.errstate(all="ignore"):
                yield f"as {np.dtype(kind)}", array.astype(kind)
    if not array.size or array.dtype.kind == "U":
        return
    if array.ndim:
        yield "a row less", array[:-1].copy()
        yield "a row twice", np.concatenate((array, array[-1:]))
        yield "turned round", array[::-1].copy()
        yield "zeros", np.zeros_like(array)
        yield "one row for all", np.broadcast_to(array[:1], array.shape).copy()
    numbers: tuple[Any, ...] = NUMBERS
    if array.dtype.kind in "iu":
        bounds = np.iinfo(array.dtype)
        numbers = (-1, 0, 1, 2, 3, 5, 63, 64, 1000, 2**31 - 1, 2**53, bounds.min, bounds.max)
    places = rng.choice(array.size, min(array.size, 6), replace=False).tolist()
    for number in numbers:
        if array.dtype.kind in "iu" and not bounds.min <= number <= bounds.max:
            continue
        for place in places:
            other = array.copy()
            other.reshape(-1)[place] = number
            yield f"{number} at {place}", other
        yield f"{number} everywhere", np.full_like(array, number)


def outcome(snapshot: Snapshot, shapes: list[Any], response: Any, **options: Any) -> str:
    """ "refused" with one clear error, or "runs": anything else is raised."""
    try:
        world = carom.World.restore(snapshot, shapes, response, **options)
    except (carom.InvalidInputError, carom.errors.UnsupportedMotionError) as error:
        return "refused" if "\n" not in str(error) else "refused in many lines"
    if max(np.abs(world.spins).max(initial=0.0), np.abs(world._tables.key_turn[:, 4:]).max(initial=0.0)) > FAST:
        return "runs long"  # contacts are searched turn by turn
    try:
        world.advance(world.time + 0.5, budget=BUDGET)
        world.snapshot()
    except carom.CaromError:
        return "runs and stops"
    return "runs"


def sample(name: str, seed: int, broad: str | None, share: float = 1.0) -> dict[str, int]:
    """How often each outcome came over all fields of a world's snapshot, altered in a share of the ways."""
    rng = np.random.default_rng([seed, zlib.crc32(name.encode())])
    world = WORLDS[name]()
    whole = world.snapshot()
    shapes = [None if world.is_deforming(int(body)) else world.shape(int(body)) for body in world.bodies]
    options: dict[str, Any] = {"periodic": world.periodic.tolist()} if world.periodic.any() else {}
    options = {"periodic": [length or None for length in world.periodic]} if world.periodic.any() else {}
    options["broad"] = broad or ("auto" if options else "kinetic")
    found: dict[str, int] = {}
    for field, array in whole.items():
        lacking = {key: value for key, value in whole.items() if key != field}
        ways: list[tuple[str, Snapshot]] = [("missing", lacking)]
        ways += [(way, {**whole, field: other}) for way, other in altered(array, rng)]
        for way, snapshot in ways:
            if rng.random() < share:
                try:
                    kind = outcome(snapshot, shapes, world.response, **options)
                except Exception as error:
                    raise AssertionError(f"{name}: {field}, {way}: {type(error).__name__}: {error}") from error
                found[kind] = found.get(kind, 0) + 1
    assert (
        outcome({**whole, "more": np.zeros(3), "deforming.1": np.zeros(3)}, shapes, world.response, **options) == "runs"
    )
    return found


@pytest.mark.parametrize("name", WORLDS)
def test_damaged_snapshots_are_refused_or_run(name: str) -> None:
    found = sample(name, 1, None, 0.06)
    assert found["refused"] > 20
    assert found.get("runs", 0) > 0


@pytest.mark.long
@pytest.mark.parametrize("broad", carom.world.BROAD_PHASES)
@pytest.mark.parametrize("name", [name for name in WORLDS if name != "periodic"])
def test_damaged_snapshots_are_refused_or_run_in_every_broad_phase(name: str, broad: str) -> None:
    found = sample(name, 2, broad)
    assert found["refused"] > 200
    assert found["runs"] > 0


@pytest.mark.parametrize("field", ["guided_ids", "guided_told", "deforming_self_collision", "watched_ids"])
@pytest.mark.parametrize("deforms", [False, True])
def test_snapshot_that_lacks_a_field_of_steered_or_deforming_bodies_is_refused(field: str, deforms: bool) -> None:
    """Without `guided_ids` the bodies that deform were not restored, and the next step failed on them."""
    if deforms:
        world = of_every_kind("kinetic-grid")
        shapes = [None if world.is_deforming(int(body)) else world.shape(int(body)) for body in world.bodies]
    else:
        world, shapes = carom.World("kinetic-grid"), [carom.Sphere(1.0)]
        world.add(shapes[0])
    snapshot = world.snapshot()
    del snapshot[field]
    with pytest.raises(carom.InvalidInputError, match=f"snapshot lacks '{field}'; expected what World.snapshot"):
        carom.World.restore(snapshot, shapes, None)


@pytest.mark.parametrize(
    ("field", "place", "value", "message"),
    [
        ("quat", (2, 1), np.nan, r"snapshot\['quat'\]\[2\] is .*; expected a quaternion of length 1"),
        ("clock", 1, np.inf, r"snapshot\['clock'\]\[1\] is inf; expected a time"),
        ("clock", 3, 1e300, r"snapshot\['clock'\]\[3\] is 1e\+300; expected a time"),
        ("body", (3, 4), 1e300, r"snapshot\['body'\]\[3, 4\] is 1e\+300; expected a number of at most 1e\+60"),
        ("link", (1, 7), 40, r"snapshot\['link'\]\[1, 7\] is 40; expected a row from 0 to"),
        ("reported_rows", (0, 1), 900, r"snapshot\['reported_rows'\]\[0, 1\] is 900; expected the row of a body"),
        ("row_of_id", 3, 1, r"snapshot\['row_of_id'\] and free_rows do not hold each of the \d+ rows once"),
    ],
)
def test_damaged_snapshots_say_which_entry_is_wrong(field: str, place: Any, value: Any, message: str) -> None:
    world = of_every_kind("kinetic")
    snapshot = world.snapshot()
    row = int(snapshot["row_of_id"][-2]) if field == "link" else None
    array = snapshot[field]
    array[(row, 7) if row is not None else place] = value
    with pytest.raises(
        carom.InvalidInputError, match=message if row is None else message.replace(r"\[1,", rf"\[{row},")
    ):
        carom.World.restore(
            snapshot, [None if world.is_deforming(int(b)) else world.shape(int(b)) for b in world.bodies]
        )


def test_damaged_snapshot_arguments_get_one_error() -> None:
    world = elastic("kinetic", "tournament")
    shapes = [world.shape(int(body)) for body in world.bodies]
    for snapshot, given, message in (
        (None, shapes, "snapshot is None"),
        (world.snapshot(), None, "shapes is None"),
        (world.snapshot(), [None] * len(shapes), "not the one in the snapshot"),
        (world.snapshot(), [7] * len(shapes), "shape of body 0 is an int"),
    ):
        with pytest.raises(carom.InvalidInputError, match=message):
            carom.World.restore(snapshot, given, world.response)  # type: ignore[arg-type]


# ---- in a file


def test_damaged_bytes_of_arrays_are_refused() -> None:
    """Bytes that were changed, cut off or made up give one error; objects are never unpickled, nothing huge is allocated."""
    rng = np.random.default_rng(7)
    data = pack_arrays(elastic("kinetic", "tournament").snapshot())
    refusals = []
    for _ in range(400):
        changed = bytearray(data)
        for place in rng.integers(len(data), size=rng.integers(1, 4)):
            changed[place] = rng.integers(256)
        cut = bytes(changed[: rng.integers(len(data))]) if rng.random() < 0.3 else bytes(changed)
        try:
            arrays = unpack_arrays(cut)
            assert all(isinstance(array, np.ndarray) for array in arrays.values())
        except carom.errors.RunFileError as error:
            refusals.append(str(error))
    assert len(refusals) > 50
    assert not any("\n" in text for text in refusals)
    file = io.BytesIO()
    np.savez(file, body=np.array([print], object))
    with pytest.raises(carom.errors.RunFileError, match="arrays are damaged"):
        unpack_arrays(file.getvalue())


@pytest.mark.parametrize(
    "shape", ["(1000000000000,)", "(99999999999, 99999999999)", "(-3,)", "(1.5,)", "x", "()" * 10_000]
)
def test_arrays_of_declared_sizes_that_the_file_does_not_hold_are_refused(shape: str) -> None:
    data = pack_arrays({"body": np.zeros(8)})
    header = data.index(b"'shape': (8,)")
    end = data.index(b"\n", header)
    text = f"'shape': {shape}, }}".encode()[: end - header].ljust(end - header)
    with pytest.raises(carom.errors.RunFileError, match="arrays are damaged"):
        unpack_arrays(data[:header] + text + data[end:])


def test_compressed_arrays_are_refused_before_they_are_unpacked() -> None:
    file = io.BytesIO()
    np.savez_compressed(file, body=np.zeros(10_000_000))
    with pytest.raises(carom.errors.RunFileError, match="arrays are damaged"):
        unpack_arrays(file.getvalue())
