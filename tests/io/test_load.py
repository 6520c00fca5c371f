"""Meshes from files."""

from __future__ import annotations

import struct
import zipfile

import numpy as np
import pytest
import trimesh

from carom.errors import InvalidInputError
from carom.io import load


@pytest.mark.parametrize("suffix", ["obj", "stl", "ply", "off"])
def test_load_reads_common_formats(tmp_path, suffix):
    path = tmp_path / f"ball.{suffix}"
    trimesh.creation.icosphere(1).export(path)
    mesh = load(path)
    assert len(mesh.faces) == 80
    np.testing.assert_allclose(np.linalg.norm(mesh.vertices, axis=1), 1.0, atol=1e-6)


def test_load_merges_a_scene(tmp_path):
    path = tmp_path / "two.glb"
    far = trimesh.creation.box()
    far.apply_translation([5.0, 0.0, 0.0])
    trimesh.Scene([trimesh.creation.box(), far]).export(path)
    mesh = load(str(path))
    assert len(mesh.faces) == 24
    assert mesh.vertices[:, 0].max() == pytest.approx(5.5)


@pytest.mark.parametrize("suffix", ["gltf", "zip", "obj", "ply", "stl"])
def test_load_places_every_part_of_a_scene(tmp_path, suffix):
    scene = trimesh.Scene()
    box = trimesh.creation.box()
    for shift in (0.0, 5.0):
        scene.add_geometry(box, transform=trimesh.transformations.translation_matrix([0.0, shift, 0.0]))
    path = tmp_path / f"scene.{suffix}"
    if suffix == "gltf":
        for name, data in scene.export(file_type="gltf").items():
            (tmp_path / name).write_bytes(data)
        path = tmp_path / "model.gltf"
    elif suffix == "zip":
        scene.export(tmp_path / "part.glb")
        with zipfile.ZipFile(path, "w") as archive:
            archive.write(tmp_path / "part.glb", "part.glb")
    else:
        scene.export(path)
    mesh = load(path)
    assert len(mesh.faces) == 24
    assert mesh.vertices[:, 1].max() == pytest.approx(5.5)


def test_load_cuts_polygons_into_triangles(tmp_path):
    path = tmp_path / "SQUARE.OBJ"
    path.write_text("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n", encoding="utf-8")
    assert len(load(path).faces) == 2


def test_load_names_the_package_a_format_needs(tmp_path, monkeypatch):
    path = tmp_path / "ball.3mf"
    path.write_bytes(b"?")

    def missing(*_, **__):
        raise ModuleNotFoundError("No module named 'some_reader'")

    monkeypatch.setattr(trimesh, "load_mesh", missing)
    with pytest.raises(InvalidInputError, match=r"needs a package \(No module named 'some_reader'\)"):
        load(path)


def test_load_bad_files_give_one_clear_error(tmp_path):
    with pytest.raises(InvalidInputError, match="is not a file"):
        load(tmp_path / "missing.obj")
    with pytest.raises(InvalidInputError, match="is not a file"):
        load(tmp_path)
    garbage = tmp_path / "garbage.stl"
    garbage.write_bytes(b"not a mesh")
    with pytest.raises(InvalidInputError, match=r"garbage\.stl"):
        load(garbage)
    points = tmp_path / "points.obj"
    points.write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\n", encoding="utf-8")
    with pytest.raises(InvalidInputError, match=r"points\.obj"):
        load(points)
    unknown = tmp_path / "thing.unknown"
    unknown.write_text("?", encoding="utf-8")
    with pytest.raises(
        InvalidInputError, match=r"thing\.unknown' has an unknown ending '\.unknown'; expected one of .*stl"
    ):
        load(unknown)
    with pytest.raises(InvalidInputError, match="path is 5; expected the path of a mesh file"):
        load(5)
    outside = tmp_path / "outside.obj"
    outside.write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n", encoding="utf-8")
    with pytest.raises(InvalidInputError, match=r"outside\.obj: line 4: face 0 joins vertices \[0, 1, 8\]"):
        load(outside)


L_SHAPE = [(2, 0), (2, 1), (1, 1), (1, 2), (0, 2), (0, 0)]
"""The fan of its first corner leaves it."""


def as_obj(points, faces):
    lines = [f"v {x} {y} {z}" for x, y, z in points] + ["f " + " ".join(str(k + 1) for k in face) for face in faces]
    return ("\n".join(lines) + "\n").encode()


def as_off(points, faces):
    lines = [f"{x} {y} {z}" for x, y, z in points] + [" ".join(map(str, (len(face), *face))) for face in faces]
    return (f"OFF\n{len(points)} {len(faces)} 0\n" + "\n".join(lines) + "\n").encode()


def ply_head(form, points, faces):
    return (
        f"ply\nformat {form} 1.0\nelement vertex {len(points)}\nproperty double x\nproperty double y\nproperty double z\n"
        f"element face {len(faces)}\nproperty list uchar int vertex_indices\nend_header\n"
    ).encode()


def as_ply(points, faces):
    lines = [f"{x} {y} {z}" for x, y, z in points] + [" ".join(map(str, (len(face), *face))) for face in faces]
    return ply_head("ascii", points, faces) + ("\n".join(lines) + "\n").encode()


def as_binary_ply(points, faces):
    body = b"".join(struct.pack("<3d", *point) for point in points)
    return ply_head("binary_little_endian", points, faces) + body + b"".join(
        struct.pack(f"<B{len(face)}i", len(face), *face) for face in faces
    )  # fmt: skip


def as_stl(points, faces):
    text = "solid made by hand\n"
    for face in faces:
        text += "facet normal nan nan nan\n outer loop\n"
        text += "".join(f"  vertex {x} {y} {z}\n" for x, y, z in (points[k] for k in face))
        text += " endloop\nendfacet\n"
    return (text + "endsolid\n").encode()


def as_binary_stl(points, faces):
    triangles = b"".join(
        struct.pack("<12fH", *[np.nan] * 3, *(x for k in face for x in points[k]), 0) for face in faces
    )
    return b"solid, says the header".ljust(80) + struct.pack("<I", len(faces)) + triangles


WRITERS = {
    "a.obj": as_obj, "a.off": as_off, "a.ply": as_ply, "b.ply": as_binary_ply, "a.stl": as_stl, "b.stl": as_binary_stl,
}  # fmt: skip


@pytest.mark.parametrize("archived", [False, True])
@pytest.mark.parametrize("name", ["a.obj", "a.off", "a.ply", "b.ply"])
def test_load_cuts_a_concave_polygon_inside_its_outline(tmp_path, name, archived):
    path = tmp_path / name
    path.write_bytes(WRITERS[name]([(x, y, 0) for x, y in L_SHAPE], [range(6)]))
    if archived:
        with zipfile.ZipFile(tmp_path / "all.zip", "w") as archive:
            archive.write(path, f"folder/{name}")
        path = tmp_path / "all.zip"
    mesh = load(path)
    a, b, c = (mesh.vertices[mesh.faces[:, k], :2] for k in range(3))
    areas = (b[:, 0] - a[:, 0]) * (c[:, 1] - a[:, 1]) - (b[:, 1] - a[:, 1]) * (c[:, 0] - a[:, 0])
    assert (areas > 0.0).all()
    assert areas.sum() == pytest.approx(6.0)


CORNERS = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
NAN = [(0, 0, 0), (1, "nan", 0), (0, 1, 0), (0, 0, 1)]


@pytest.mark.parametrize(
    ("name", "place"),
    [
        ("a.obj", "line 2: vertex 1"), ("a.off", "line 4: vertex 1"), ("a.ply", "line 11: vertex 1"),
        ("b.ply", "vertex 1"), ("a.stl", "line 5: vertex 1"), ("b.stl", "vertex 1"),
    ],
)  # fmt: skip
def test_load_names_the_vertex_that_is_not_a_number(tmp_path, name, place):
    points = [tuple(map(float, point)) for point in NAN]
    (tmp_path / name).write_bytes(WRITERS[name](points, [(0, 1, 2), (0, 2, 3)]))
    with pytest.raises(InvalidInputError, match=rf"{name}: {place} has y = nan; expected a finite number"):
        load(tmp_path / name)


@pytest.mark.parametrize("name", ["a.obj", "a.off", "a.ply", "b.ply"])
def test_load_leaves_out_vertices_that_are_no_numbers_where_no_face_uses_them(tmp_path, name):
    points = [tuple(map(float, point)) for point in NAN]
    (tmp_path / name).write_bytes(WRITERS[name](points, [(0, 2, 3)]))
    mesh = load(tmp_path / name)
    assert mesh.vertices.tolist() == [[0, 0, 0], [0, 1, 0], [0, 0, 1]]
    assert mesh.faces.tolist() == [[0, 1, 2]]


@pytest.mark.parametrize("name", ["a.off", "a.ply", "b.ply", "a.stl", "b.stl"])
def test_load_refuses_a_file_that_is_cut_off_anywhere(tmp_path, name):
    data = WRITERS[name](CORNERS, [(0, 1, 2), (0, 2, 3), (0, 1, 3)])
    for length in range(len(data.rstrip()) - (9 if name == "a.stl" else 1)):
        (tmp_path / name).write_bytes(data[:length])
        with pytest.raises(InvalidInputError, match=name):
            load(tmp_path / name)


def test_load_refuses_an_obj_whose_faces_lost_their_vertices(tmp_path):
    (tmp_path / "a.obj").write_bytes(b"f 1 2 3\nv 0 0 0\nv 1 0 0\n")
    with pytest.raises(
        InvalidInputError, match=r"a\.obj: line 1: face 0 joins vertices \[0, 1, 2\]; expected rows from 0 to 1"
    ):
        load(tmp_path / "a.obj")


@pytest.mark.parametrize("name", ["a.stl", "b.stl"])
def test_load_welds_stl_and_does_not_heed_its_normals(tmp_path, name, capfd):
    (tmp_path / name).write_bytes(WRITERS[name](CORNERS, [(0, 1, 2), (0, 2, 3), (0, 1, 3)]))
    mesh = load(tmp_path / name)
    assert sorted(map(tuple, mesh.vertices.tolist())) == sorted(CORNERS)
    assert len(mesh.faces) == 3
    assert capfd.readouterr() == ("", "")


WRONG_STL = {
    "count": (struct.pack("<80sI", b"", 7) + bytes(50), "says that it holds 7 triangles, which take 434 bytes, but has 134"),
    "short": (b"nothing", "not an STL file"),
    "word": (as_stl(CORNERS, [(0, 1, 2)]).replace(b"outer", b"inner"), "line 3 is 'inner loop'; expected outer loop"),
    "vertex": (as_stl(CORNERS, [(0, 1, 2)]).replace(b"1 0 0", b"1 0"), "line 5 is 'vertex 1 0'; expected vertex x y z"),
    "number": (as_stl(CORNERS, [(0, 1, 2)]).replace(b"1 0 0", b"1_0 0 0"), "line 5 is '1_0 0 0'; expected vertex, then"),
    "four": (as_stl(CORNERS, [(0, 1, 2)]).replace(b" endloop", b" vertex 0 0 0\n endloop"), "line 7 is .*; expected endloop"),
    "end": (as_stl(CORNERS, [(0, 1, 2)]).replace(b"endsolid", b""), "cut off: it ends at line 10 without endsolid"),
    "empty": (b"solid\nendsolid\n", "holds no triangles"),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG_STL)
def test_load_names_what_is_wrong_with_an_stl_file(tmp_path, case):
    data, message = WRONG_STL[case]
    (tmp_path / "a.stl").write_bytes(data)
    with pytest.raises(InvalidInputError, match=rf"a\.stl: .*{message}"):
        load(tmp_path / "a.stl")


@pytest.mark.filterwarnings("error")
def test_load_names_a_signalling_nan_without_a_warning(tmp_path):
    data = bytearray(as_binary_stl(CORNERS, [(0, 1, 2)]))
    data[84 + 12 : 84 + 16] = b"\0\0\xa0\x7f"
    (tmp_path / "a.stl").write_bytes(data)
    with pytest.raises(InvalidInputError, match="vertex 0 has x = nan"):
        load(tmp_path / "a.stl")


def test_load_quotes_a_file_on_one_line(tmp_path):
    (tmp_path / "a.ply").write_bytes(as_ply(CORNERS, [(0, 1, 2)]).replace(b"element face 1", b"element fa\x00\x07e 9"))
    with pytest.raises(InvalidInputError, match=r"9 fa\\x00\\x07e lines") as caught:
        load(tmp_path / "a.ply")
    assert str(caught.value).isprintable()


STRIPS = (
    "ply\nformat ascii 1.0\nelement vertex 5\nproperty float x\nproperty float y\nproperty float z\n"
    "element tristrips {}\nproperty list int int vertex_indices\nend_header\n"
)


def test_load_reads_strips_of_ply(tmp_path):
    (tmp_path / "a.ply").write_text(STRIPS.format(1) + "0 0 0\n1 0 0\n0 1 0\n1 1 0\n0 2 0\n8 0 1 2 3 -1 2 3 4\n")
    assert load(tmp_path / "a.ply").faces.tolist() == [[0, 1, 2], [2, 1, 3], [2, 3, 4]]


def test_load_keeps_the_strips_of_ply_apart(tmp_path):
    (tmp_path / "a.ply").write_text(STRIPS.format(3) + "0 0 0\n1 0 0\n0 1 0\n1 1 0\n0 2 0\n3 0 1 2\n0\n4 2 1 3 4\n")
    assert load(tmp_path / "a.ply").faces.tolist() == [[0, 1, 2], [2, 1, 3], [3, 1, 4]]


@pytest.mark.parametrize("name", ["a.obj", "a.off"])
def test_load_reads_the_first_line_after_a_byte_order_mark(tmp_path, name):
    plain = WRITERS[name](CORNERS, [(0, 1, 2), (0, 2, 3)])
    (tmp_path / name).write_bytes(b"\xef\xbb\xbf" + plain + b"v 7 7 7\n" * (name == "a.obj"))
    mesh = load(tmp_path / name)
    assert mesh.vertices[mesh.faces].tolist() == [[list(CORNERS[k]) for k in face] for face in [(0, 1, 2), (0, 2, 3)]]


def test_load_reads_off_without_a_space_after_its_keyword(tmp_path):
    (tmp_path / "a.off").write_bytes(as_off(CORNERS, [(0, 1, 2)]).replace(b"OFF\n", b"OFF"))
    assert load(tmp_path / "a.off").faces.tolist() == [[0, 1, 2]]


@pytest.mark.parametrize("name", ["a.off", "a.ply"])
def test_load_refuses_faces_that_all_lost_their_corners(tmp_path, name):
    data = WRITERS[name](CORNERS, [(0, 1, 2), (0, 2, 3)])
    (tmp_path / name).write_bytes(data.replace(b"3 0 1 2", b"3").replace(b"3 0 2 3", b"3"))
    with pytest.raises(InvalidInputError, match=r"line .* is '3'; expected"):
        load(tmp_path / name)


def test_load_does_not_take_python_numerals_for_numbers(tmp_path):
    for text in ("1_0", "\u0661", "0x1"):
        (tmp_path / "a.obj").write_text(f"v 0 0 0\nv {text} 0 0\nv 0 1 0\nf 1 2 3\n", encoding="utf-8")
        with pytest.raises(InvalidInputError, match="line 2 is"):
            load(tmp_path / "a.obj")
