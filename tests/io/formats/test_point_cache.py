"""PC2 and MDD against bytes made by hand, and every way in which they can be wrong."""

from __future__ import annotations

import struct

import numpy as np
import pytest

import carom
from carom.errors import InvalidInputError
from scenarios.animation_samples import falling, grid

MESH = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"
FRAMES = [[(0, 0, 0), (1, 0, 0), (0, 1, 0)], [(0, 0, 1), (1, 0, 1.5), (0, 1, 2)]]


def pc2(magic=b"POINTCACHE2\0", version=1, points=3, start=2.0, rate=0.5, samples=2, frames=FRAMES):
    head = magic + struct.pack("<ii", version, points) + struct.pack("<ff", start, rate) + struct.pack("<i", samples)
    return head + b"".join(struct.pack("<fff", *p) for frame in frames for p in frame)


def mdd(frames=2, points=3, times=(0.25, 0.75), data=FRAMES):
    head = struct.pack(">ii", frames, points) + b"".join(struct.pack(">f", t) for t in times)
    return head + b"".join(struct.pack(">fff", *p) for frame in data for p in frame)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "leaf.obj").write_text(MESH)
    return tmp_path


def test_pc2_by_hand_is_read_with_the_mesh_beside(folder):
    (folder / "leaf.pc2").write_bytes(pc2())
    (body,) = carom.load_animation(folder / "leaf.pc2", fps=10)
    assert body.vertices.tolist() == np.array(FRAMES, dtype=float).tolist()
    assert body.times.tolist() == [0.2, 0.25]
    assert body.faces.tolist() == [[0, 1, 2]]
    assert body.name == "leaf"


def test_mdd_by_hand_has_its_own_times_unless_fps_is_given(folder):
    (folder / "leaf.mdd").write_bytes(mdd())
    (body,) = carom.load_animation(folder / "leaf.mdd")
    assert body.vertices.tolist() == np.array(FRAMES, dtype=float).tolist()
    assert body.times.tolist() == [0.25, 0.75]
    assert carom.load_animation(folder / "leaf.mdd", fps=2)[0].times.tolist() == [0.0, 0.5]


def test_point_cache_takes_its_faces_from_the_mesh_named(tmp_path):
    (tmp_path / "cache.mdd").write_bytes(mdd())
    (tmp_path / "other.obj").write_text(MESH.replace("1 2 3", "2 3 1"))
    assert carom.load_animation(tmp_path / "cache.mdd", mesh=tmp_path / "other.obj")[0].faces.tolist() == [[1, 2, 0]]


@pytest.mark.parametrize("ending", ["pc2", "mdd"])
def test_point_cache_round_trips_to_float32_and_writes_its_mesh(tmp_path, ending):
    body = grid(3, 2, 0)
    assert [p.name for p in carom.save_animation(tmp_path / f"c.{ending}", body, fps=30)] == [f"c.{ending}", "c.obj"]
    (found,) = carom.load_animation(tmp_path / f"c.{ending}", fps=30 if ending == "pc2" else None)
    assert np.array_equal(found.vertices, body.vertices.astype(np.float32))
    assert np.allclose(found.times, body.times, rtol=1e-6)
    assert np.array_equal(found.faces, body.faces)


WRONG = {
    "magic": ("pc2", pc2(magic=b"POINTCACHE9\0"), "not a PC2 file"),
    "empty pc2": ("pc2", b"", "not a PC2 file"),
    "short head": ("pc2", pc2()[:20], "not a PC2 file"),
    "version": ("pc2", pc2(version=2), "PC2 version 2; expected 1"),
    "cut off": ("pc2", pc2()[:-1], "2 frames of 3 points take 104 bytes, but the file has 103"),
    "too long": ("pc2", pc2() + b"x", "take 104 bytes, but the file has 105"),
    "one frame": ("pc2", pc2(samples=1, frames=FRAMES[:1]), "holds 1 frames of 3 points; expected at least 2"),
    "negative": ("pc2", pc2(points=-3), "2 frames of -3 points"),
    "no rate": ("pc2", pc2(rate=0.0), "0.0 frames between its samples"),
    "other mesh": ("pc2", pc2(points=2, frames=[f[:2] for f in FRAMES]), "2 points per frame, but its mesh .*leaf.obj has 3"),
    "nan": ("pc2", pc2(frames=[FRAMES[0], [(0, 0, float("nan")), *FRAMES[1][1:]]]), r"leaf\.pc2: vertices\[1, 0, 2\] is nan"),
    "empty mdd": ("mdd", b"\0\0", "only 2 bytes long"),
    "cut mdd": ("mdd", mdd()[:-4], "take 88 bytes, but the file has 84"),
    "little-endian mdd": ("mdd", struct.pack("<ii", 2, 3) + mdd()[8:], "it is cut off, or of another format"),
    "mdd times": ("mdd", mdd(times=(0.5, 0.5)), r"times\[1\] is 0.5"),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_point_cache_that_is_wrong_is_refused_by_name(folder, case):
    ending, data, message = WRONG[case]
    (folder / f"leaf.{ending}").write_bytes(data)
    with pytest.raises(InvalidInputError, match=message) as caught:
        carom.load_animation(folder / f"leaf.{ending}")
    assert f"leaf.{ending}" in str(caught.value)


def test_point_cache_without_a_mesh_says_where_it_looked(tmp_path):
    (tmp_path / "c.pc2").write_bytes(pc2())
    with pytest.raises(InvalidInputError, match=r"holds no faces: .*put one of c\.obj, c\.ply, c\.off beside it"):
        carom.load_animation(tmp_path / "c.pc2")


def test_point_cache_holds_one_body_and_pc2_even_keys_only(tmp_path):
    with pytest.raises(InvalidInputError, match="holds one body, got 2"):
        carom.save_animation(tmp_path / "c.mdd", [falling(), falling()])
    with pytest.raises(InvalidInputError, match="evenly spaced"):
        carom.save_animation(tmp_path / "c.pc2", grid(2, 5, 0))
    assert not list(tmp_path.iterdir())
