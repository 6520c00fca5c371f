"""glTF as one rigid mesh: placed, mirrored, shared, and every way to be refused."""

from __future__ import annotations

import base64
import json

import numpy as np
import pytest

import carom
from carom.errors import InvalidInputError

POINTS = np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0)], dtype="<f4")
ROWS = np.array([0, 1, 2, 3], dtype="<u2")


def document(nodes, **more):
    data = POINTS.tobytes() + ROWS.tobytes()
    return {
        "asset": {"version": "2.0"},
        "nodes": nodes,
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1, "mode": 5}]}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3"},
            {"bufferView": 1, "componentType": 5123, "count": 4, "type": "SCALAR"},
        ],
        "bufferViews": [
            {"buffer": 0, "byteLength": POINTS.nbytes}, {"buffer": 0, "byteOffset": POINTS.nbytes, "byteLength": ROWS.nbytes}
        ],
        "buffers": [{"byteLength": len(data), "uri": "data:;base64," + base64.b64encode(data).decode()}],
        **more,
    }  # fmt: skip


def load(tmp_path, made):
    (tmp_path / "a.gltf").write_text(made if isinstance(made, str) else json.dumps(made))
    return carom.load(tmp_path / "a.gltf")


def normals(mesh):
    a, b, c = (mesh.vertices[mesh.faces[:, k]] for k in range(3))
    return np.cross(b - a, c - a)


@pytest.mark.parametrize(("mode", "faces"), [(4, 1), (5, 2), (6, 2)])
def test_gltf_strips_and_fans_are_triangles_that_turn_alike(tmp_path, mode, faces):
    made = document([{"mesh": 0}])
    made["meshes"][0]["primitives"][0]["mode"] = mode
    if mode == 4:
        made["accessors"][1]["count"] = 3
    if mode == 6:
        made["accessors"][0]["count"] = 4
    mesh = load(tmp_path, made)
    assert len(mesh.faces) == faces
    if mode != 6:
        assert (normals(mesh)[:, 2] > 0.0).all()


def test_gltf_nodes_place_a_mesh_many_times_and_mirrors_keep_its_outside(tmp_path):
    nodes = [
        {"mesh": 0, "children": [1], "translation": [5, 0, 0]},
        {"mesh": 0, "scale": [-1, 1, 1], "rotation": [0, 0, 1, 0]},
        {"matrix": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 7, 1], "mesh": 0},
    ]
    mesh = load(tmp_path, document(nodes))
    assert mesh.vertices[:4].tolist() == [[5, 0, 0], [6, 0, 0], [5, 1, 0], [6, 1, 0]]
    assert np.allclose(mesh.vertices[4:8], [[5, 0, 0], [6, 0, 0], [5, -1, 0], [6, -1, 0]])
    assert mesh.vertices[8:, 2].tolist() == [7.0] * 4
    assert (normals(mesh)[:, 2] > 0.0).all()


def test_gltf_of_many_nodes_is_read_in_one_pass(tmp_path, monkeypatch):
    # Each node cost a copy of the list of all nodes.
    n = 3000
    nodes = [{"children": [k + 1], "translation": [1, 0, 0]} for k in range(n)] + [{"mesh": 0}]
    made = document(nodes)
    from carom.io.formats.gltf_file import GltfFile

    calls = 0
    entries = GltfFile.entries

    def counted(self, kind):
        nonlocal calls
        calls += 1
        found = entries(self, kind)
        assert entries(self, kind) is found
        return found

    monkeypatch.setattr(GltfFile, "entries", counted)
    mesh = load(tmp_path, made)
    assert mesh.vertices[0].tolist() == [n, 0, 0]
    assert calls < 10 * n


REFUSED = {
    "deep list": ("[" * 100_000, "its JSON is nested too deeply"),
    "deep object": ('{"a":' * 100_000, "its JSON is nested too deeply"),
    "many digits": ('{"asset": {"version": ' + "9" * 5000 + "}}", "its JSON is damaged: Exceeds the limit"),
    "twice": ('{"asset": {"version": "2.0"},\n"asset": {}}', "the key 'asset' comes twice"),
    "nan": ('{"asset": {"version": "2.0"}, "x": NaN}', "NaN is no number of JSON"),
    "cut off": ('{"asset":\n{"version"', "damaged at line 2, column"),
    "a list": ("[]", "its JSON is no object"),
    "zeros": (
        document([{"mesh": 0}], accessors=[{"componentType": 5126, "count": 10**10, "type": "VEC3"}]),
        "takes 240 GB in memory, more than the limit",
    ),
    "instances": (
        document(
            [{"mesh": 0}] * 2000,
            accessors=[
                {"componentType": 5126, "count": 1, "type": "VEC3"}, {"componentType": 5123, "count": 30_000, "type": "SCALAR"}
            ],
            meshes=[{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
        ),
        "in memory, more than the limit",
    ),
    "shared accessors": (
        document(
            [{"mesh": 0}], accessors=[{"componentType": 5126, "count": 30_000, "type": "VEC3"}],
            meshes=[{"primitives": [{"attributes": {"POSITION": 0}}] * 2000}],
        ),
        "in memory, more than the limit",
    ),
    "signed rows": (
        document([{"mesh": 0}], accessors=[
            document([])["accessors"][0], {"bufferView": 1, "componentType": 5120, "count": 3, "type": "SCALAR"},
        ]), "accessor 1 holds no indices",
    ),
    "broken rows": (
        document([{"mesh": 0}], accessors=[
            document([])["accessors"][0], {"bufferView": 0, "componentType": 5126, "count": 3, "type": "SCALAR"},
        ]), "accessor 1 holds no indices",
    ),
    "flat positions": (
        document([{"mesh": 0}], accessors=[
            {"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC2"}, document([])["accessors"][1],
        ]), "accessor 0 holds VEC2; expected positions as VEC3",
    ),
    "short view": (
        document([{"mesh": 0}], bufferViews=[{"buffer": 0, "byteLength": 47}, {"buffer": 0, "byteLength": 8}]),
        "reaches beyond buffer view 0: to byte 48 of 47",
    ),
    "short buffer": (
        document([{"mesh": 0}], buffers=[{"byteLength": 999, "uri": "data:;base64,AAAA"}]), "should have 999 bytes, but has 3",
    ),
    "narrow stride": (
        document([{"mesh": 0}], bufferViews=[{"buffer": 0, "byteLength": 48, "byteStride": 4}, {"buffer": 0, "byteLength": 8}]),
        "a stride of 4 for entries of 12 bytes",
    ),
    "negative mesh": (document([{"mesh": -1}]), r"refers to meshes\[-1\], but has 1"),
    "skin": (document([{"mesh": 0, "skin": 0}]), "is shaped by a skin"),
    "instancing": (document([{"mesh": 0, "extensions": {"EXT_mesh_gpu_instancing": {}}}]), "EXT_mesh_gpu_instancing"),
    "no turn": (document([{"mesh": 0, "rotation": [0, 0, 0, 0]}]), r"has the rotation \[0.0, 0.0, 0.0, 0.0\]"),
    "text": (document([{"mesh": 0, "translation": ["1", "2", "3"]}]), "a value in it is of the wrong kind"),
    "far": (document([{"mesh": 0, "translation": [1e308, 0, 0], "scale": [1e308] * 3}]), r"vertex 1 of its scene is \[inf"),
    "no mesh": (document([{}]), "holds no mesh"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_gltf_that_is_wrong_is_one_error(tmp_path, case, monkeypatch, capfd):
    monkeypatch.delenv("CAROM_UNPACK_LIMIT", raising=False)
    made, message = REFUSED[case]
    with pytest.raises(InvalidInputError, match=rf"a\.gltf: .*{message}") as caught:
        load(tmp_path, made)
    assert "\n" not in str(caught.value)
    assert capfd.readouterr() == ("", "")


def test_gltf_names_that_cannot_be_printed_are_replaced(tmp_path):
    from carom.io.formats.gltf_scene import mesh_name

    assert mesh_name({"name": "\ud800x"}, {}, 0) == "?x"
    assert mesh_name({"name": 3}, {"name": "y"}, 0) == "y"
    assert mesh_name({}, {}, 4) == "mesh 4"


def test_load_of_paths_that_no_system_takes_is_one_error():
    for name in ("x" * 5000 + ".obj", "a\0b.obj"):
        for load_it in (carom.load, carom.load_animation):
            with pytest.raises(InvalidInputError, match=r"not a file|no such file"):
                load_it(name)
