"""Scene files with values of wrong types and damaged text: read as a TOML reader does, or refused in one line with a place."""

from __future__ import annotations

import re
import tempfile
import time
import tomllib
import warnings
from pathlib import Path
from typing import Any

import numpy as np

import carom
from carom.scenes import load_scene
from fuzz.cases.damage import damaged
from fuzz.cases.generate import pick
from fuzz.failure import Failure

_VALUES = (
    "3", "-3", "2.5", "true", '"x"', '""', "2020-01-01", "12:00:00", "2020-01-01T00:00:00Z", "[]", "[1]", "[1, 2, 3]",
    '["a", "b", "c"]', "[[[1]]]", "{}", "{ a = 1 }", '{ file = "a", array = "b" }', "nan", "-inf", "9" * 400, "9" * 5000,
    "1e999", '[1, "a", 2020-01-01]', "[true, false, true]", '"a\\u0000b"', '"\\U0001F600"', '"' + "x" * 5000 + '"', '"a\\nb"',
    "0x" + "f" * 5000, "[" * 200 + "]" * 200, "[" * 20000, "[[0, 0, 0], [1, 1, 1]]", "[\n  [0, 0, 0],\n  [1, 1, 1],\n]",
    "'''\na\n'''", '"ball"', '"box"', "[0, 0, nan]", "1e308", "1e-320", "-0.0", "9223372036854775808",
)  # fmt: skip
_SHAPES = {
    "sphere": {"radius": "0.5"},
    "box": {"extents": "[1, 2, 3]"},
    "capsule": {"radius": "0.5", "height": "1.0"},
    "cylinder": {"radius": "0.5", "height": "1.0"},
    "cone": {"radius": "0.5", "height": "1.0"},
    "ellipsoid": {"radii": "[1, 2, 0.5]"},
    "half-space": {"normal": "[0, 0, 1]", "offset": "-9.0"},
    "convex": {"points": "[[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]"},
    "mesh": {"vertices": "[[0, 0, 0], [1, 0, 0], [0, 1, 0]]", "faces": "[[0, 1, 2]]", "scale": "2.0"},
}
_BODY = {
    "shape": '"ball"', "position": "[1, 2, 3]", "velocity": "[1.5, 0, 0]", "acceleration": "[0, 0, -1]", "mass": "2.0",
    "orientation": "[1, 0, 0, 0]", "spin": "[0, 0, 1]", "group": "3", "name": '"b"',
}  # fmt: skip
_SWARM = {
    "shape": '"ball"', "positions": "[[5, 5, 5], [7, 7, 7]]", "velocities": "[[1, 0, 0], [0, 1, 0]]", "masses": "[1.0, inf]",
    "accelerations": "[[0, 0, 0], [0, 0, 0]]", "orientations": "[[1, 0, 0, 0], [0, 1, 0, 0]]", "group": "1",
    "spins": "[[0, 0, 0], [0, 0, 1]]",
}  # fmt: skip
_TOP = {"name": '"scene"', "until": "2.0", "gravity": "[0, 0, -9.81]"}
_LINE = re.compile(r"line \d+|has no bodies|shapes is")
_SECONDS = 5.0


def cases(seed: int) -> None:
    """Run one random case."""
    case = random_case(np.random.default_rng(seed))
    wrong = fault(case)
    if wrong is not None:
        raise Failure(f'"""{wrong} (seed {seed})"""\n{script(case)}')


def random_case(rng: np.random.Generator) -> dict[str, Any]:
    tables: list[tuple[str, dict[str, str]]] = [
        ("", dict(_TOP)),
        ("[shapes.ball]", {"kind": '"sphere"', "radius": "1"}),
    ]
    for kind in rng.permutation(list(_SHAPES))[: int(rng.integers(0, 4))]:
        tables.append((f"[shapes.{kind}]", {"kind": f'"{kind}"', **_SHAPES[str(kind)]}))
    tables += [("[response]", {"kind": '"elastic"', "restitution": "0.5"})] * bool(rng.random() < 0.5)
    tables += [("[walls]", {"lower": "[-20, -20, -20]", "upper": "[20, 20, 20]"})] * bool(rng.random() < 0.3)
    tables += [("[world]", {"broad": '"auto"', "queue": '"tournament"'})] * bool(rng.random() < 0.3)
    tables += [("[[bodies]]", dict(_BODY)) for _ in range(int(rng.integers(0, 3)))]
    tables += [("[[swarms]]", dict(_SWARM)) for _ in range(int(rng.integers(0, 3)))]
    tables = [
        (
            head,
            {
                key: value
                for key, value in table.items()
                if rng.random() < 0.8 or key in ("shape", "positions", "kind", "lower", "upper") or "shapes" in head
            },
        )
        for head, table in tables
    ]
    spoiled = rng.random()
    for _ in range(int(rng.integers(1, 3)) if spoiled < 0.5 else 0):
        _, table = tables[int(rng.integers(len(tables)))]
        if table:
            key = pick(rng, tuple(table))
            table[key if rng.random() < 0.9 else f"{key}x"] = pick(rng, _VALUES)
    text = "\n".join("\n".join([head, *(f"{key} = {value}" for key, value in table.items())]) for head, table in tables)
    data = text.encode()
    if spoiled > 0.7:
        data = damaged(rng, data)
    return {"data": data, "intact": 0.5 <= spoiled <= 0.7 and b"[[" in data}


def script(case: dict[str, Any]) -> str:
    return (
        "import pathlib\nimport tempfile\n\nfrom carom.scenes import load_scene\n\n"
        f"path = pathlib.Path(tempfile.mkdtemp()) / 'scene.toml'\npath.write_bytes({case['data']!r})\n"
        "scene = load_scene(path)\nprint(scene.positions, scene.masses, scene.names)\n"
    )


def fault(case: dict[str, Any]) -> str | None:
    """What is wrong, "kind: details", or None."""
    begin = time.process_time()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "scene.toml"
        path.write_bytes(case["data"])
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                scene = load_scene(path)
        except carom.errors.SceneError as error:
            words = str(error).replace(str(path), "")
            if case["intact"] and "has no bodies" not in words:
                return f"refused: {words}"
            if not words.isprintable() or len(words) > 4000 or not _LINE.search(words):
                return f"message: no line with a place: {words[:300]!r}"
            scene = None
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt):
                raise
            return f"raised: {type(error).__name__}: {str(error)[:300]!r}"
    if time.process_time() - begin > _SECONDS:
        return f"slow: {time.process_time() - begin:.1f} s for {len(case['data'])} bytes"
    return None if scene is None else _difference(case["data"], scene)


def _difference(data: bytes, scene: Any) -> str | None:
    """The scene against the tables that the file holds."""
    held = tomllib.loads(data.decode().removeprefix("\ufeff"))
    gravity = held.get("gravity", [0.0, 0.0, 0.0])
    expected: list[tuple[Any, Any, Any, Any]] = []
    for body in held.get("bodies", []):
        mass = body.get("mass", 1.0)
        pull = body.get("acceleration", gravity if mass < float("inf") else [0, 0, 0])
        expected.append((body.get("position", [0, 0, 0]), body.get("velocity", [0, 0, 0]), pull, mass))
    for swarm in held.get("swarms", []):
        n = len(swarm["positions"])
        masses = swarm.get("masses", 1.0)
        for k in range(n):
            mass = masses[k] if isinstance(masses, list) else masses
            pull = gravity if mass < float("inf") else [0, 0, 0]
            expected.append(
                (
                    swarm["positions"][k],
                    swarm.get("velocities", [[0, 0, 0]] * n)[k],
                    swarm.get("accelerations", [pull] * n)[k],
                    mass,
                )
            )
    for k, (position, velocity, pull, mass) in enumerate(expected):
        found = (scene.positions[k], scene.velocities[k], scene.accelerations[k], scene.masses[k])
        for mine, right in zip(found, (position, velocity, pull, mass), strict=True):
            if not np.array_equal(np.asarray(mine, float), np.array(right, float)):
                return f"differs: body {k}: {mine} for {right}"
    walls = 6 if "walls" in held else 0
    return None if len(scene) == len(expected) + walls else f"differs: {len(scene)} bodies for {len(expected)}"
