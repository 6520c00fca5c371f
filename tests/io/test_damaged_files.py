"""Files with bytes changed, cut off or descriptions torn: read, or refused with one clear error, never anything else."""

from __future__ import annotations

import copy
import json

import numpy as np
import pytest

import carom
from carom.errors import InvalidInputError
from scenarios.animation_samples import grid

ENDINGS = ("npz", "glb", "pc2", "mdd", "obj", "ply")


def outcome(path, folder):
    """Did the file load? Anything but success or InvalidInputError fails the test."""
    files = sorted(folder.glob(f"*{path.suffix}")) if path.suffix in (".obj", ".ply") else path
    try:
        carom.load_animation(files)
    except InvalidInputError:
        return False
    return True


@pytest.mark.parametrize("ending", ENDINGS)
def test_file_with_changed_bytes_is_read_or_refused(tmp_path, ending):
    rng = np.random.default_rng(ENDINGS.index(ending))
    path = carom.save_animation(tmp_path / f"cloth.{ending}", grid(2, 2, 0))[0]
    data = path.read_bytes()
    outcomes = []
    for _ in range(120):
        changed = bytearray(data)
        for _ in range(rng.integers(1, 4)):
            changed[rng.integers(len(data) if rng.random() < 0.5 else min(64, len(data)))] = rng.integers(256)
        path.write_bytes(bytes(changed))
        outcomes.append(outcome(path, tmp_path))
    assert not all(outcomes)


@pytest.mark.parametrize("ending", ENDINGS)
def test_file_that_is_cut_off_is_refused(tmp_path, ending):
    path = carom.save_animation(tmp_path / f"cloth.{ending}", grid(2, 2, 0))[0]
    data = path.read_bytes()
    for share in np.linspace(0.0, 0.97, 30):
        path.write_bytes(data[: int(share * len(data))])
        assert not outcome(path, tmp_path)


def torn(value, rng):
    """A copy of a JSON value in which one thing, somewhere, is missing or of another kind."""
    made = copy.deepcopy(value)
    at = made
    while True:
        key = rng.choice(list(at)) if isinstance(at, dict) else int(rng.integers(len(at)))
        if isinstance(at[key], dict | list) and at[key] and rng.random() < 0.75:
            at = at[key]
            continue
        if rng.random() < 0.5:
            del at[key]
        else:
            at[key] = [None, -1, "x", [], {}, 3.5, 10**9][rng.integers(7)]
        return made


def test_gltf_with_a_torn_description_is_read_or_refused(tmp_path):
    rng = np.random.default_rng(7)
    source = carom.save_animation(tmp_path / "cloth.glb", grid(2, 2, 0))[0].read_bytes()
    length = int.from_bytes(source[12:16], "little")
    description = json.loads(source[20 : 20 + length])
    description["buffers"][0]["uri"] = "data.bin"
    (tmp_path / "data.bin").write_bytes(source[28 + length :])
    path = tmp_path / "torn.gltf"
    path.write_text(json.dumps(description))
    assert outcome(path, tmp_path)
    outcomes = []
    for _ in range(400):
        path.write_text(json.dumps(torn(description, rng)))
        outcomes.append(outcome(path, tmp_path))
    assert not all(outcomes)
