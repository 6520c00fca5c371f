from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import trimesh

import carom
from carom.errors import InvalidInputError
from carom.io.mesh_file import read_mesh
from carom.io.mesh_sequence import sequence_name, sequences
from scenarios.animation_samples import grid, same, still

TRIANGLES = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 3 4\n"


@pytest.mark.parametrize("ending", ["obj", "ply"])
def test_sequence_round_trips_bit_for_bit(tmp_path, ending):
    body = grid(3, 12, 0)
    written = carom.save_animation(tmp_path / f"cloth.{ending}", body)
    assert [path.name for path in written[::11]] == [f"cloth_0000.{ending}", f"cloth_0011.{ending}"]
    found = carom.load_animation(str(tmp_path / f"cloth_*.{ending}"), fps=10)
    assert same(found[0], body, times=False)
    assert found[0].times.tolist() == [k / 10 for k in range(12)]


def test_sequences_come_in_natural_order_and_group_by_all_but_the_last_number():
    names = ["run2_a10.obj", "run2_a9.obj", "run2_a1.obj", "run3_a1.obj", "table.obj", "run2_a2.ply"]
    groups = sequences(Path(name) for name in names)
    assert [[path.name for path in group] for group in groups] == [
        ["run2_a1.obj", "run2_a9.obj", "run2_a10.obj"], ["run3_a1.obj"], ["table.obj"], ["run2_a2.ply"]
    ]  # fmt: skip
    assert [sequence_name(Path(n)) for n in ("cloth_0001.obj", "f7 low.obj", "frames/001.ply")] == [
        "cloth", "f low", "frames"
    ]  # fmt: skip


def test_sequence_beside_a_single_mesh_which_stands_still(tmp_path):
    carom.save_animation(tmp_path / "cloth.obj", grid(2, 3, 0))
    carom.save_animation(tmp_path / "floor.npz", still())
    (tmp_path / "floor.obj").write_text(TRIANGLES)
    floor, cloth = carom.load_animation([tmp_path / "floor.obj", tmp_path / "cloth_*.obj"])
    assert (floor.name, cloth.name) == ("floor", "cloth")
    assert floor.is_still
    assert np.array_equal(floor.times, cloth.times)


def test_obj_reads_polygons_slashes_negative_rows_and_ignores_the_rest(tmp_path):
    text = "# c\nmtllib x\no a\nv 0 0 0 1 1 1\nv 1 0 0\nv 1 1 0\nvt 0 0\nvn 0 0 1\nv 0 1 0\n"
    text += "f 1/1/1 2//1 3/1 \\\n4\nf -4 -3 -2\n"
    (tmp_path / "a.obj").write_text(text)
    vertices, faces = read_mesh(tmp_path / "a.obj")
    assert vertices.tolist() == [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]]
    assert faces.tolist() == [[0, 1, 2], [0, 2, 3], [0, 1, 2]]


def test_obj_keeps_vertices_shared_where_textures_meet(tmp_path):
    text = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nvt 0 0\nvt 1 1\nf 1/1 2/1 3/1\nf 2/2 4/2 3/2\n"
    (tmp_path / "a.obj").write_text(text)
    assert len(read_mesh(tmp_path / "a.obj")[0]) == 4


@pytest.mark.parametrize("kind", ["ply", "off"])
def test_files_of_other_programs_keep_their_vertices(tmp_path, kind):
    mesh = trimesh.creation.icosphere(1)
    loose = np.arange(3 * len(mesh.faces)).reshape(-1, 3)
    torn = trimesh.Trimesh(mesh.vertices[mesh.faces].reshape(-1, 3), loose, process=False)
    torn.export(tmp_path / f"a.{kind}")
    vertices, faces = read_mesh(tmp_path / f"a.{kind}")
    assert len(vertices) == 3 * len(mesh.faces)
    assert np.array_equal(faces, torn.faces)


WRONG = {
    "other count": (
        TRIANGLES.replace("f 1 3 4\n", ""),
        r"f_2\.obj: has 4 vertices and 1 faces, but f_1\.obj has 4 and 2",
    ),
    "more vertices": ("v 9 9 9\n" + TRIANGLES, r"f_2\.obj: has 5 vertices and 2 faces"),
    "other faces": (TRIANGLES.replace("1 3 4", "2 3 4"), r"face 1 joins vertices \[1, 2, 3\], but in f_1\.obj"),
    "no faces": ("v 0 0 0\n", r"f_2\.obj: holds no triangles"),
    "out of range": (
        TRIANGLES.replace("1 3 4", "1 3 7"),
        r"face 1 joins vertices \[0, 2, 6\]; expected rows from 0 to 3",
    ),
    "no number": (TRIANGLES.replace("v 1 0 0", "v 1 x 0"), r"f_2\.obj: line 2 is 'v 1 x 0'; expected numbers"),
    "short": (TRIANGLES.replace("v 1 0 0", "v 1 0"), "line 2 is 'v 1 0'"),
    "nan": (
        TRIANGLES.replace("v 1 0 0", "v nan 0 0"),
        r"f_2\.obj: line 2: vertex 1 has x = nan; expected a finite number",
    ),
    "empty": ("", "holds no triangles"),
}


@pytest.mark.parametrize("case", WRONG)
def test_sequence_whose_mesh_changes_is_refused_by_name(tmp_path, case):
    text, message = WRONG[case]
    (tmp_path / "f_1.obj").write_text(TRIANGLES)
    (tmp_path / "f_2.obj").write_text(text)
    with pytest.raises(InvalidInputError, match=message):
        carom.load_animation([tmp_path / "f_1.obj", tmp_path / "f_2.obj"])


def test_damaged_ply_is_refused_by_name(tmp_path):
    files = carom.save_animation(tmp_path / "f.ply", grid(2, 2, 0))
    files[1].write_bytes(files[1].read_bytes()[:250])
    with pytest.raises(InvalidInputError, match=r"f_0001\.ply: "):
        carom.load_animation(files)


def write_frames(folder, *names):
    """A triangle in each file, k m high in the k-th."""
    for k, name in enumerate(names):
        (folder / f"{name}.obj").write_text(f"v 0 0 {k}\nv 1 0 {k}\nv 0 1 {k}\nf 1 2 3\n")


def load(folder, **options):
    notices = []
    return carom.load_animation(str(folder / "*.obj"), notice=notices.append, **options), notices


def test_sequence_time_of_a_frame_is_its_number_over_the_rate(tmp_path):
    write_frames(tmp_path, "a_10", "a_12", "a_14", "b-3", "b-4", "b-5")
    (a, b), notices = load(tmp_path, fps=2)
    assert (a.times.tolist(), b.times.tolist()) == ([5.0, 6.0, 7.0], [1.5, 2.0, 2.5])
    assert notices == []  # every second frame is a stride, not a gap
    assert load(tmp_path)[0][1].times.tolist() == [3 / 24, 4 / 24, 5 / 24]


@pytest.mark.parametrize(
    ("names", "words"),
    [
        (("c_0", "c_1", "c_3", "c_4"), "c: frame 2 is missing; vertices move straight"),
        (("c_1", "c_3"), "c: frame 2 is missing;"),
        (("c_0", "c_1", "c_3", "c_5"), "c: frames 2, 4 are missing;"),
        (("c_0", "c_5", "c_20"), "c: frames 10, 15 are missing;"),
        (("c_0", "c_1", "c_1000000000000"), "c: frames 2, 3, 4, 5, 6 and 999,999,999,993 more are missing;"),
    ],
)
def test_sequence_with_missing_frames_says_which(tmp_path, names, words):
    write_frames(tmp_path, *names)
    (body,), (notice,) = load(tmp_path, fps=1)
    assert words in notice
    assert body.times.tolist() == [int(name[2:]) for name in names]


def test_sequence_of_negative_frames_is_one_body_in_order(tmp_path):
    write_frames(tmp_path, "c_-10", "c_-2", "c_0", "c_1")
    (body,), _ = load(tmp_path, fps=1)
    assert (body.name, body.times.tolist(), body.vertices[:, 0, 2].tolist()) == ("c", [-10, -2, 0, 1], [0, 1, 2, 3])
    assert [path.name for path in sequences([Path("c--1.obj"), Path("c-1.obj"), Path("-3.obj"), Path("2.obj")])[1]] == [
        "-3.obj", "2.obj"
    ]  # fmt: skip


def test_sequence_with_a_number_twice_is_refused_by_name(tmp_path):
    write_frames(tmp_path, "c_0", "c_1", "c_01")
    with pytest.raises(InvalidInputError, match=r"c_1\.obj: is frame 1, as c_01\.obj is; expected one file per frame"):
        load(tmp_path)


def test_sequence_cuts_polygons_as_they_lie_in_the_first_frame(tmp_path):
    square = "v 0 0 0\nv 4 0 0\nv {0} {0} 0\nv 0 4 0\nf 1 2 3 4\n"
    (tmp_path / "c_0.obj").write_text(square.format(1))
    (tmp_path / "c_1.obj").write_text(square.format(4))
    (body,), _ = load(tmp_path)
    assert sorted(sorted(face) for face in body.faces.tolist()) == [[0, 1, 2], [0, 2, 3]]
    (tmp_path / "c_0.obj").write_text(square.format(1).replace("f 1 2 3 4", "f 2 3 4 1"))
    (tmp_path / "c_1.obj").write_text(square.format(4).replace("f 1 2 3 4", "f 2 3 4 1"))
    (body,), _ = load(tmp_path)
    assert sorted(sorted(face) for face in body.faces.tolist()) == [[0, 1, 2], [0, 2, 3]]


def test_sequence_whose_polygons_change_is_refused_by_name(tmp_path):
    text = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n"
    (tmp_path / "c_0.obj").write_text(text + "f 1 2 3\nf 1 2 3 4\n")
    (tmp_path / "c_1.obj").write_text(text + "f 1 2 3 4\nf 1 2 3\n")
    with pytest.raises(
        InvalidInputError, match=r"c_1\.obj: face 0 joins vertices \[0, 1, 2, 3\], but in c_0\.obj it joins"
    ):
        load(tmp_path)
