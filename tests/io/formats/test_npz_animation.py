from __future__ import annotations

import numpy as np
import pytest

import carom
from carom.errors import InvalidInputError
from scenarios.animation_samples import falling, grid, same, still


@pytest.mark.parametrize("bodies", [[grid(3, 4, 0)], [grid(3, 4, 0, "a.b"), grid(2, 5, 1, "c")]], ids=["one", "two"])
def test_npz_round_trips_bit_for_bit(tmp_path, bodies):
    assert carom.save_animation(tmp_path / "cloth.npz", bodies) == [tmp_path / "cloth.npz"]
    found = carom.load_animation(tmp_path / "cloth.npz")
    assert all(same(one, other) for one, other in zip(bodies, found, strict=True))


def test_npz_without_times_numbers_its_frames_and_shares_common_times(tmp_path):
    body = grid(2, 3, 0)
    np.savez(tmp_path / "bare.npz", faces=body.faces, vertices=body.vertices)
    assert carom.load_animation(tmp_path / "bare.npz")[0].times.tolist() == [0.0, 1 / 24, 2 / 24]
    assert carom.load_animation(tmp_path / "bare.npz", fps=2)[0].times.tolist() == [0.0, 0.5, 1.0]
    arrays = {"one.faces": body.faces, "one.vertices": body.vertices, "times": body.times}
    np.savez(tmp_path / "shared.npz", **arrays)
    expected = carom.Deforming(body.faces, body.times, body.vertices, name="one")
    assert same(carom.load_animation(tmp_path / "shared.npz")[0], expected)


def test_npz_mesh_without_frames_stands_still_at_the_times_of_the_others(tmp_path):
    leaf, floor = falling(), still()
    np.savez(tmp_path / "two.npz", **{
        "floor.faces": floor.faces, "floor.vertices": floor.vertices[0],
        "leaf.faces": leaf.faces, "leaf.vertices": leaf.vertices, "leaf.times": leaf.times,
    })  # fmt: skip
    found = carom.load_animation(tmp_path / "two.npz")
    assert same(found[0], floor)
    assert same(found[1], leaf)
    assert found[0].is_still


WRONG = {
    "no archive": (lambda path: path.write_text("hello"), "cannot be read as a NumPy archive"),
    "cut off": (lambda path: path.write_bytes(b"PK\x03\x04 cut"), "cannot be read as a NumPy archive"),
    "no faces": (lambda path: np.savez(path, points=np.zeros(3)), "holds no array called faces or NAME.faces, only points"),
    "no vertices": (lambda path: np.savez(path, **{"a.faces": [[0, 1, 2]]}), "holds a.faces but no a.vertices"),
    "bad face": (
        lambda path: np.savez(path, faces=[[0, 1, 9]], vertices=np.zeros((2, 3, 3)), times=[0, 1]), r"faces\[0\]"
    ),
    "bad times": (
        lambda path: np.savez(path, faces=[[0, 1, 2]], vertices=np.zeros((2, 3, 3)), times=[1, 1]), r"times\[1\] is 1"
    ),
    "nan": (
        lambda path: np.savez(path, faces=[[0, 1, 2]], vertices=np.full((2, 3, 3), np.nan), times=[0, 1]), "finite"
    ),
    "objects": (lambda path: np.savez(path, faces=np.array([{}], dtype=object)), "it holds Python objects; expected arrays"),
    "complex": (
        lambda path: np.savez(path, faces=[[0, 1, 2]], vertices=np.zeros((2, 3, 3), dtype=complex), times=[0, 1]),
        r"vertices\[0, 0, 0\] is 0j; expected a number",
    ),
    "complex, still": (
        lambda path: np.savez(path, faces=[[0, 1, 2]], vertices=np.zeros((3, 3), dtype=complex)), "expected a number"
    ),
    "words": (
        lambda path: np.savez(path, faces=[[0, 1, 2]], vertices=np.zeros((2, 3, 3)), times=["0", "one"]),
        r"times\[0\] is '0'; expected a number",
    ),
    "one number": (lambda path: np.savez(path, faces=[[0, 1, 2]], vertices=3.0), r"vertices has shape \(\); expected"),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_npz_that_is_wrong_is_refused_by_name(tmp_path, case):
    spoil, message = WRONG[case]
    spoil(tmp_path / "bad.npz")
    with pytest.raises(InvalidInputError, match=message) as caught:
        carom.load_animation(tmp_path / "bad.npz")
    assert "bad.npz" in str(caught.value)
