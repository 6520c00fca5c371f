"""Single mesh files of every format: what is read, what is refused, and in which words."""

from __future__ import annotations

import struct

import numpy as np
import pytest
import trimesh

from carom.errors import InvalidInputError
from carom.io.mesh_file import read_mesh, write_mesh

POINTS = [(0.0, 0.0, 0.0), (4.0, 0.0, 0.0), (4.0, 4.0, 0.0), (2.0, 1.0, 0.0), (0.0, 4.0, 0.0)]
FACES = [(0, 1, 2, 3, 4), (0, 1, 2)]
"""A square with a notch, and a triangle."""


def obj_text(points=POINTS, faces=FACES):
    lines = ["v " + " ".join(map(str, point)) for point in points]
    return "\n".join(lines + ["f " + " ".join(str(k + 1) for k in face) for face in faces]) + "\n"


def off_text(points=POINTS, faces=FACES, head="OFF\n"):
    lines = [" ".join(map(str, point)) for point in points]
    lines += [" ".join(map(str, (len(face), *face))) for face in faces]
    return f"{head}{len(points)} {len(faces)} 0\n" + "\n".join(lines) + "\n"


def ply_head(form, points=POINTS, faces=FACES):
    return (
        f"ply\nformat {form} 1.0\ncomment mine\nelement vertex {len(points)}\nproperty double x\nproperty double y\n"
        f"property double z\nproperty uchar red\nelement face {len(faces)}\nproperty uchar flag\n"
        "property list uchar int vertex_indices\nproperty list uchar float texcoord\nend_header\n"
    )


def ply_data(form, points=POINTS, faces=FACES):
    head = ply_head(form, points, faces).encode()
    if form == "ascii":
        lines = [" ".join(map(str, (*point, 7))) for point in points]
        lines += [" ".join(map(str, (1, len(face), *face, 2, 0.5, 0.25))) for face in faces]
        return head + ("\n".join(lines) + "\n").encode()
    order = "<" if "little" in form else ">"
    body = b"".join(struct.pack(f"{order}3dB", *point, 7) for point in points)
    for face in faces:
        body += struct.pack(f"{order}BB{len(face)}iB2f", 1, len(face), *face, 2, 0.5, 0.25)
    return head + body


WRITERS = {
    "obj": lambda: ("a.obj", obj_text().encode()),
    "off": lambda: ("a.off", off_text().encode()),
    **{
        form: (lambda form=form: ("a.ply", ply_data(form)))
        for form in ("ascii", "binary_little_endian", "binary_big_endian")
    },
}


@pytest.mark.parametrize("form", WRITERS)
def test_read_mesh_cuts_polygons_alike_in_every_format(tmp_path, form):
    name, data = WRITERS[form]()
    (tmp_path / name).write_bytes(data)
    vertices, faces = read_mesh(tmp_path / name)
    assert vertices.tolist() == [list(point) for point in POINTS]
    assert faces.tolist()[-1] == [0, 1, 2]
    assert [0, 2, 3] not in faces.tolist()  # the fan would fill the notch
    areas = np.cross(vertices[faces[:, 1]] - vertices[faces[:, 0]], vertices[faces[:, 2]] - vertices[faces[:, 0]])[:, 2]
    assert (areas > 0.0).all()
    assert areas[:-1].sum() == pytest.approx(20.0)


@pytest.mark.parametrize("form", ["off", "ascii", "binary_little_endian", "binary_big_endian"])
def test_read_mesh_refuses_a_file_that_is_cut_off_or_goes_on(tmp_path, form):
    name, data = WRITERS[form]()
    path = tmp_path / name
    last = len(data.rstrip().rsplit(b"\n", 1)[1]) if form in ("off", "ascii") else 4
    for cut in range(0, len(data) - last, 3):
        path.write_bytes(data[:cut])
        with pytest.raises(InvalidInputError, match=rf"{name}: "):
            read_mesh(path)
    path.write_bytes(data[: -last - 2])
    with pytest.raises(InvalidInputError, match=r"cut off"):
        read_mesh(path)
    path.write_bytes(data + b"1 2 3\n")
    with pytest.raises(InvalidInputError, match=r"counts are wrong|goes on"):
        read_mesh(path)


@pytest.mark.parametrize("form", WRITERS)
def test_read_mesh_takes_lines_of_any_ending(tmp_path, form):
    name, data = WRITERS[form]()
    if form.startswith("binary"):
        head, body = data.split(b"end_header\n")
        data = head.replace(b"\n", b"\r\n") + b"end_header\r\n" + body
    else:
        data = data.replace(b"\n", b"\r\n").rstrip()
    (tmp_path / name).write_bytes(data)
    assert len(read_mesh(tmp_path / name)[1]) == 4


def test_obj_reads_lines_that_go_on_after_a_backslash(tmp_path):
    for end in ("\n", "\r\n", " \n"):
        (tmp_path / "a.obj").write_bytes(obj_text().replace("f 1 2 3 4 5", f"f 1 2 \\{end}3 4 \\{end} 5").encode())
        assert len(read_mesh(tmp_path / "a.obj")[1]) == 4
    (tmp_path / "a.obj").write_text("v 0 0 \\\n0\nv 1 \\\nx 0\n")
    with pytest.raises(InvalidInputError, match=r"line 3 is 'v 1 x 0'"):
        read_mesh(tmp_path / "a.obj")


def test_off_reads_counts_on_the_first_line_comments_and_colours(tmp_path):
    text = (
        "# made by hand\nCOFF 3 1 3 # counts\n0 0 0 255 0 0 255\n\n1 0 0 0 0 0 0\n0 1 0 0 0 0 0\n3 0 1 2 0.5 0.5 0.5\n"
    )
    (tmp_path / "a.off").write_text(text)
    vertices, faces = read_mesh(tmp_path / "a.off")
    assert (vertices.tolist(), faces.tolist()) == ([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])


@pytest.mark.parametrize("ending", ["off", "ply", "ascii ply"])
def test_read_mesh_agrees_with_trimesh(tmp_path, ending):
    ball = trimesh.creation.icosphere(2)
    path = tmp_path / f"a.{ending[-3:]}"
    path.write_bytes(
        trimesh.exchange.ply.export_ply(ball, encoding="ascii")
        if ending == "ascii ply" else ball.export(file_type=ending).encode() if ending == "off"
        else ball.export(file_type="ply")
    )  # fmt: skip
    vertices, faces = read_mesh(path)
    assert np.array_equal(faces, ball.faces)
    assert np.allclose(vertices, ball.vertices, atol=1e-6)


def test_write_mesh_is_read_bit_for_bit(tmp_path):
    points = np.random.default_rng(0).standard_normal((3, 3))
    for name in ("a.obj", "a.ply"):
        write_mesh(tmp_path / name, points, np.array([[0, 1, 2]]))
        assert np.array_equal(read_mesh(tmp_path / name)[0], points)


TRIANGLE = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"
WRONG = {
    "from 0": ("a.obj", TRIANGLE.replace("f 1 2 3", "f 0 1 2"), r"line 4 is 'f 0 1 2'; expected vertices from 1 on"),
    "two corners": ("a.obj", TRIANGLE + "f 1 2\n", r"line 5 is 'f 1 2'; expected three corners or more"),
    "no number": ("a.obj", TRIANGLE.replace("2 3", "b 3"), r"line 4 is 'f 1 b 3'; expected numbers"),
    "huge": ("a.obj", TRIANGLE.replace("2 3", f"{10**30} 3"), "number is too large"),
    "outside": ("a.obj", TRIANGLE.replace("2 3", "2 9"), r"face 0 joins vertices \[0, 1, 8\]; expected rows from 0 to 2"),
    "infinite": ("a.obj", TRIANGLE.replace("v 1 0", "v 1 inf"), r"vertex 1 has y = inf; expected a finite number"),
    "not off": ("a.off", "4OFF\n", "not an OFF file"),
    "no counts": ("a.off", "OFF\n", "nothing follows OFF"),
    "bad counts": ("a.off", "OFF\n3 x 0\n", r"line 2 is '3 x 0'; expected the numbers of vertices, faces and edges"),
    "bad vertex": ("a.off", off_text().replace("4.0 4.0 0.0", "4.0 4,0 0.0"), r"line 5 is '4.0 4,0 0.0'; expected numbers"),
    "short face": ("a.off", off_text().replace("3 0 1 2", "3 0 1"), r"line 9 is '3 0 1'; expected the number of corners"),
    "line face": ("a.off", off_text().replace("3 0 1 2", "2 0 1"), r"face 1 has 2 corners; expected 3 or more"),
    "not ply": ("a.ply", "x", "not a PLY file"),
    "bad header": ("a.ply", "ply\nformat ascii 1.0\nelement vertex many\nend_header\n", r"line 3 is 'element vertex many'"),
    "no format": ("a.ply", "ply\nelement vertex 0\nend_header\n", "names no format"),
    "no z": ("a.ply", "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nend_header\n1\n", "no vertices with x, y"),
    "no faces": (
        "a.ply", "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\n"
        "end_header\n1 2 3\n", "holds no triangles",
    ),
    "bad ply row": ("a.ply", ply_data("ascii").decode().replace("1 3 0 1 2 2", "1 9 0 1 2 2"), r"line 20 is '1 9 0 1 2 2"),
    "float face": ("a.ply", ply_data("ascii").decode().replace("1 3 0 1 2 2", "1 3 0 1.5 2 2"), "words that are no numbers"),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_read_mesh_names_the_file_and_what_is_wrong(tmp_path, case):
    name, text, message = WRONG[case]
    (tmp_path / name).write_text(text)
    with pytest.raises(InvalidInputError, match=rf"{name}: .*{message}") as caught:
        read_mesh(tmp_path / name)
    assert "Error" not in str(caught.value)
