from __future__ import annotations

import numpy as np
import pytest

import carom
from carom.errors import InvalidInputError
from scenarios.animation_samples import falling, grid, same, still


def test_load_animation_keeps_the_order_and_makes_names_distinct(tmp_path):
    carom.save_animation(tmp_path / "a.npz", falling(name="x"))
    carom.save_animation(tmp_path / "x.obj", grid(2, 2, 0))
    carom.save_animation(tmp_path / "b.npz", [falling(name="x"), still(name="y")])
    found = carom.load_animation([tmp_path / "b.npz", tmp_path / "x_*.obj", tmp_path / "a.npz"])
    assert [body.name for body in found] == ["x", "y", "x 2", "a"]


def test_load_animation_takes_a_file_once(tmp_path):
    carom.save_animation(tmp_path / "x.obj", grid(2, 3, 0))
    found = carom.load_animation([tmp_path / "x_*.obj", tmp_path / "x_0001.obj"])
    assert len(found) == 1
    assert len(found[0].times) == 3


def test_save_animation_of_several_bodies_as_sequences(tmp_path):
    bodies = [grid(2, 2, 0, "one"), grid(2, 2, 1, "two")]
    files = carom.save_animation(tmp_path / "all.ply", bodies)
    assert [f.name for f in files] == ["all_one_0000.ply", "all_one_0001.ply", "all_two_0000.ply", "all_two_0001.ply"]
    found = carom.load_animation(files)
    assert [body.name for body in found] == ["all_one", "all_two"]
    assert all(np.array_equal(a.vertices, b.vertices) for a, b in zip(bodies, found, strict=True))


def test_save_animation_overwrites_nothing(tmp_path):
    (tmp_path / "c_0002.obj").write_text("mine")
    with pytest.raises(InvalidInputError, match=r"c_0002\.obj: already exists"):
        carom.save_animation(tmp_path / "c.obj", grid(2, 3, 0))
    assert [p.name for p in tmp_path.iterdir()] == ["c_0002.obj"]


def test_save_animation_names_bodies_without_a_name(tmp_path):
    carom.save_animation(tmp_path / "c.npz", [falling(name=None), still(name=None)])
    assert [body.name for body in carom.load_animation(tmp_path / "c.npz")] == ["body 0", "body 1"]


@pytest.mark.parametrize(
    ("paths", "message"),
    [
        ("none.npz", r"none\.npz: no such file"),
        ("none_*.obj", r"none_\*\.obj: no file matches this pattern"),
        ([], "paths is empty"),
        ([3], "paths holds 3; expected the path"),
        ("a.stl", r"a\.stl: has an unknown ending '\.stl'; expected one of \.npz"),
        ("still.obj", "nothing moves"),
        (".", r"\.: is a folder; expected files, or a pattern such as \*\.obj"),
        (3, "paths is 3; expected the path of an animation file, or several"),
    ],
)
def test_load_animation_refuses_what_is_no_animation(tmp_path, monkeypatch, paths, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.stl").write_text("x")
    (tmp_path / "still.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    with pytest.raises(InvalidInputError, match=message):
        carom.load_animation(paths)


@pytest.mark.parametrize("fps", [0, -1, float("nan"), "x"])
def test_load_animation_refuses_a_bad_frame_rate(tmp_path, fps):
    carom.save_animation(tmp_path / "a.npz", falling())
    with pytest.raises(InvalidInputError, match="fps is"):
        carom.load_animation(tmp_path / "a.npz", fps=fps)


@pytest.mark.parametrize(
    ("name", "bodies", "message"),
    [
        ("a.stl", falling(), "unknown ending"),
        ("a.npz", [], "bodies is empty"),
        ("none/a.npz", falling(), "cannot be written"),
    ],
)
def test_save_animation_refuses_what_it_cannot_write(tmp_path, name, bodies, message):
    with pytest.raises(InvalidInputError, match=message):
        carom.save_animation(tmp_path / name, bodies)


def test_saved_animation_is_the_same_after_npz_and_obj(tmp_path):
    body = grid(3, 2, 5)
    carom.save_animation(tmp_path / "a.obj", body)
    again = carom.load_animation(tmp_path / "a_*.obj")
    carom.save_animation(tmp_path / "a.npz", again)
    assert same(carom.load_animation(tmp_path / "a.npz")[0], again[0])


@pytest.mark.parametrize(
    ("mesh", "message"),
    [
        ("floor.obj", r"mesh \(--mesh\) is floor\.obj, but no file is a point cache \(\.pc2, \.mdd\)"),
        (3, "mesh is 3; expected the path of a mesh file"),
    ],
)
def test_load_animation_refuses_a_mesh_that_serves_no_point_cache(tmp_path, monkeypatch, mesh, message):
    monkeypatch.chdir(tmp_path)
    carom.save_animation("a.npz", falling())
    with pytest.raises(InvalidInputError, match=message):
        carom.load_animation("a.npz", mesh=mesh)


@pytest.mark.parametrize(
    ("mesh", "message"), [("none.obj", "no such file"), (".", "is a folder"), ("a.npz", r"unknown ending '\.npz'")]
)
def test_load_animation_refuses_a_mesh_that_is_no_mesh_file(tmp_path, monkeypatch, mesh, message):
    monkeypatch.chdir(tmp_path)
    carom.save_animation("a.npz", falling())
    carom.save_animation("a.mdd", falling())
    with pytest.raises(InvalidInputError, match=message):
        carom.load_animation("a.mdd", mesh=mesh)
