"""Mesh and animation files of every format: intact ones against what was written, damaged ones read or refused in one line.

Oracles: what a file was made from (`mesh_bytes`); for damaged text and STL files, readers of a few lines in `oracle/files.py`.
"""

from __future__ import annotations

import resource
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np

import carom
from fuzz.cases import mesh_bytes
from fuzz.cases.damage import damaged
from fuzz.cases.generate import pick
from fuzz.failure import Failure
from fuzz.oracle.files import areas_of_polygons, read_plainly

_STILL = ("obj", "off", "ply", "stl", "gltf", "glb", "zip")
_MOVING = ("npz", "pc2", "mdd", "gltf", "glb", "obj", "ply", "off")
_SECONDS = 5.0
_KIBIBYTES = 1 << 20
_MESSAGE = 4000


def cases(seed: int) -> None:
    """Run one random case."""
    case = random_case(np.random.default_rng(seed))
    wrong = fault(case)
    if wrong is not None:
        case, wrong = _shorter(case, wrong)
        raise Failure(f'"""{wrong} (seed {seed})"""\n{script(case)}')


def random_case(rng: np.random.Generator) -> dict[str, Any]:
    moves = bool(rng.random() < 0.4)
    ending = pick(rng, _MOVING if moves else _STILL)
    mesh = mesh_bytes.polygons(rng, triangles=moves or ending in ("stl", "gltf", "glb"))
    points = np.array(mesh["points"])
    frames = points[None] + np.arange(int(rng.integers(2, 5)))[:, None, None] * np.array([0.0, 0.0, 1.0])
    frames = frames.astype(np.float32).astype(float)  # what every format holds exactly
    files: dict[str, bytes] = {}
    match ending:
        case "npz":
            files["a.npz"] = mesh_bytes.npz(rng, mesh, frames)
        case "pc2" | "mdd":
            files[f"a.{ending}"] = (mesh_bytes.pc2 if ending == "pc2" else mesh_bytes.mdd)(frames)
            files["a.obj"] = mesh_bytes.obj(rng, mesh)
        case "gltf" | "glb":
            files[f"a.{ending}"] = mesh_bytes.gltf(rng, mesh, ending, len(frames) if moves else 0)
            lift = np.arange(len(frames))[:, None, None] % 2 * np.array([0.0, 0.0, 1.0])
            frames = (points[None] + lift) * 2.0 + np.array([1.0, -2.0, 0.5])
        case "zip":
            files["a.zip"] = mesh_bytes.zipped("b.off", mesh_bytes.off(rng, mesh))
        case _ if moves:
            for k, frame in enumerate(frames):
                state = np.random.default_rng(int(rng.integers(1 << 30)))
                write = getattr(mesh_bytes, ending)
                files[f"a_{k:04d}.{ending}"] = write(state, {"points": frame.tolist(), "faces": mesh["faces"]})
        case _:
            files[f"a.{ending}"] = getattr(mesh_bytes, ending)(rng, mesh)
    intact = bool(rng.random() < 0.25)
    if not intact:
        name = pick(rng, tuple(files))
        files[name] = damaged(rng, files[name])
    return {"moves": moves, "files": files, "intact": intact, "faces": mesh["faces"], "frames": frames.tolist()}


def script(case: dict[str, Any]) -> str:
    call = (
        "carom.load_animation(sorted(p for p in folder.iterdir() if p.suffix == first.suffix))"
        if case["moves"]
        else "carom.load(first)"
    )
    return (
        "import pathlib\nimport tempfile\n\nimport carom\n\nfolder = pathlib.Path(tempfile.mkdtemp())\n"
        f"files = {case['files']!r}\nfor name, data in files.items():\n    (folder / name).write_bytes(data)\n"
        f"first = folder / next(iter(files))\nread = {call}\nprint(read)\n"
        "for body in read if isinstance(read, list) else [read]:\n    print(body.vertices.tolist(), body.faces.tolist())\n"
    )


def fault(case: dict[str, Any]) -> str | None:
    """What is wrong, "kind: details", or None."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for file, data in case["files"].items():
            (folder / file).write_bytes(data)
        first = folder / next(iter(case["files"]))
        memory, begin = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
        wrong, read = _read(case, folder, first)
        spent = time.process_time() - begin
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - memory
    if wrong is not None:
        return wrong
    if spent > _SECONDS:
        return f"slow: {spent:.1f} s for {sum(map(len, case['files'].values()))} bytes"
    if grown > _KIBIBYTES:
        return f"memory: {grown >> 10} MB for {sum(map(len, case['files'].values()))} bytes"
    if case["intact"]:
        return "refused: an intact file" if read is None else _difference(case, read)
    return None if read is None or case["moves"] else _disagreement(first.name, case["files"][first.name], read[0])


def _read(case: dict[str, Any], folder: Path, first: Path) -> tuple[str | None, list[Any] | None]:
    """(what is wrong, or None; the bodies, or None where carom refused)."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            if case["moves"]:
                return None, carom.load_animation(sorted(folder.glob(f"*{first.suffix}")))
            return None, [carom.load(first)]
    except carom.InvalidInputError as error:
        words = str(error)
        if "\n" in words or len(words) > _MESSAGE or not words.isprintable():
            return f"message: not one line: {words[:300]!r}", None
        if str(folder) not in words:
            return f"message: names no file: {words[:300]!r}", None
        if case["intact"]:
            return f"refused: {words}".replace(str(folder), ""), None
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            raise
        return f"raised: {type(error).__name__}: {str(error)[:300]!r}", None
    return None, None


def _difference(case: dict[str, Any], read: list[Any]) -> str | None:
    """Of an intact file: every vertex where it was, every polygon covered once by its triangles."""
    (body,) = read
    frames = np.array(case["frames"])
    found = body.vertices if case["moves"] else body.vertices[None]
    if not case["moves"]:
        frames = frames[:1]
    triangles = np.asarray(body.faces)
    if len(triangles) != sum(len(face) - 2 for face in case["faces"]):
        return f"count: {len(triangles)} triangles"
    if len(found) != len(frames):
        return f"count: {len(found)} frames for {len(frames)}"
    scale = np.abs(frames).max()
    row = 0
    for face in case["faces"]:
        mine = triangles[row : row + len(face) - 2]
        row += len(face) - 2
        for frame, here in zip(frames, found, strict=True):
            outline = frame[face]
            span = np.ptp(outline, axis=0).max()
            cut = here[mine]
            away = np.abs(cut.reshape(-1, 1, 3) - outline[None]).max(axis=2).min(axis=1).max()
            if away > 1e-12 * scale:
                return f"place: a corner is {away} off"
            whole, single = areas_of_polygons([outline])[0], areas_of_polygons(cut)
            total = float(np.linalg.norm(single, axis=1).sum())
            # Coordinates are rounded to float32, which lifts corners out of their plane.
            if abs(total - np.linalg.norm(whole)) > 1e-6 * span * scale or np.abs(single.sum(axis=0) - whole).max() > (
                1e-11 * span * scale
            ):
                return f"area: {total} for {np.linalg.norm(whole)} of polygon {face}"
    return None


def _disagreement(name: str, data: bytes, mesh: carom.Mesh) -> str | None:
    """Of a damaged file that was read: where a plain reader makes sense of it as well, both found the same."""
    plain = read_plainly(name, data)
    if plain is None:
        return None
    expected = areas_of_polygons(plain).sum(axis=0)
    found = areas_of_polygons(mesh.vertices[mesh.faces]).sum(axis=0)
    size = max((float(np.abs(polygon).max()) for polygon in plain), default=0.0)
    triangles = sum(len(polygon) - 2 for polygon in plain)
    if len(mesh.faces) != triangles:
        return f"count: {len(mesh.faces)} triangles for {triangles}"
    if size < 1e100 and np.abs(found - expected).max() > 1e-9 * size * size:
        return f"area: {found.tolist()} for {expected.tolist()}"
    return None


def _shorter(case: dict[str, Any], wrong: str) -> tuple[dict[str, Any], str]:
    """The case with files cut shorter, as long as the same kind of fault is there; intact files stay."""
    if case["intact"]:
        return case, wrong
    kind = wrong.partition(":")[0]
    deadline = time.monotonic() + 10.0
    for name in list(case["files"]):
        size = len(case["files"][name]) // 2
        while size and time.monotonic() < deadline:
            data, at = case["files"][name], 0
            while at < len(data) and time.monotonic() < deadline:
                less = {**case, "files": {**case["files"], name: data[:at] + data[at + size :]}}
                still = fault(less)
                if still is not None and still.partition(":")[0] == kind:
                    case, wrong, data = less, still, less["files"][name]
                else:
                    at += size
            size //= 2
    return case, wrong
