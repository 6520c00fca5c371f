"""glTF morph targets against files made by hand: sparse accessors, strides, nodes, and every way to be refused."""

from __future__ import annotations

import base64
import copy
import json
import struct

import numpy as np
import pytest
import trimesh

import carom
from carom.errors import InvalidInputError
from scenarios.animation_samples import falling, grid, still

POINTS = np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)], dtype="<f4")
"""Two triangles of a square that share an edge in space but not in the file."""
LIFT = np.array([(0, 0, 2)] * 6, dtype="<f4")
ROWS = np.arange(6, dtype="<u2")
TIMES = np.array([0.5, 1.0, 2.0], dtype="<f4")
WEIGHTS = np.array([0.0, 1.0, 0.25], dtype="<f4")


def document():
    """A square that one morph target lifts, as JSON with its buffer inside."""
    parts = [POINTS.tobytes(), LIFT.tobytes(), ROWS.tobytes(), TIMES.tobytes(), WEIGHTS.tobytes()]
    offsets = np.cumsum([0, *map(len, parts)])
    return {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"name": "square", "mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 2, "targets": [{"POSITION": 1}]}]}],
        "animations": [{
            "channels": [{"sampler": 0, "target": {"node": 0, "path": "weights"}}],
            "samplers": [{"input": 3, "output": 4, "interpolation": "LINEAR"}],
        }],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": 6, "type": "VEC3"},
            {"bufferView": 1, "componentType": 5126, "count": 6, "type": "VEC3"},
            {"bufferView": 2, "componentType": 5123, "count": 6, "type": "SCALAR"},
            {"bufferView": 3, "componentType": 5126, "count": 3, "type": "SCALAR"},
            {"bufferView": 4, "componentType": 5126, "count": 3, "type": "SCALAR"},
        ],
        "bufferViews": [
            {"buffer": 0, "byteOffset": int(offsets[k]), "byteLength": len(part)} for k, part in enumerate(parts)
        ],
        "buffers": [{"byteLength": int(offsets[-1]), "uri": "data:;base64," + base64.b64encode(b"".join(parts)).decode()}],
    }  # fmt: skip


def add_view(made, array):
    """Append an array to the buffer; returns the number of its view."""
    data = base64.b64decode(made["buffers"][0]["uri"].partition(",")[2])
    data += b"\0" * (-len(data) % 4)
    view = {"buffer": 0, "byteOffset": len(data), "byteLength": array.nbytes}
    data += array.tobytes()
    made["buffers"][0] = {"byteLength": len(data), "uri": "data:;base64," + base64.b64encode(data).decode()}
    made["bufferViews"].append(view)
    return len(made["bufferViews"]) - 1


def translation():
    """An animation that moves node 0 by accessor 5 at the times of accessor 3."""
    channel = {"sampler": 0, "target": {"node": 0, "path": "translation"}}
    return {"channels": [channel], "samplers": [{"input": 3, "output": 5}]}


def load(tmp_path, made):
    (tmp_path / "made.gltf").write_text(json.dumps(made))
    return carom.load_animation(tmp_path / "made.gltf")


def test_morph_by_hand_blends_and_closes_the_seam(tmp_path):
    (body,) = load(tmp_path, document())
    assert body.name == "square"
    assert body.times.tolist() == [0.5, 1.0, 2.0]
    assert body.faces.tolist() == [[0, 1, 2], [1, 3, 2]]
    assert body.vertices[:, :, 2].tolist() == [[0.0] * 4, [2.0] * 4, [0.5] * 4]
    assert body.vertices[0, :, :2].tolist() == [[0, 0], [1, 0], [0, 1], [1, 1]]


def test_morph_vertices_that_part_later_stay_apart(tmp_path):
    made = document()
    view = add_view(made, np.array([(0, 0, 2)] * 3 + [(0, 0, 3)] * 3, dtype="<f4"))
    made["accessors"][1]["bufferView"] = view
    assert load(tmp_path, made)[0].vertices.shape[1] == 6


def test_morph_sparse_accessor_without_a_view_starts_from_zero(tmp_path):
    made = document()
    rows = add_view(made, np.array([4], dtype="<u2"))
    values = add_view(made, np.array([(0, 0, 7)], dtype="<f4"))
    made["accessors"][1] = {
        "componentType": 5126, "count": 6, "type": "VEC3",
        "sparse": {"count": 1, "indices": {"bufferView": rows, "componentType": 5123}, "values": {"bufferView": values}},
    }  # fmt: skip
    (body,) = load(tmp_path, made)
    assert body.vertices[1, :, 2].tolist() == [0.0, 0.0, 0.0, 7.0]


def test_morph_interleaved_and_normalised_accessors(tmp_path):
    made = document()
    mixed = np.zeros(6, dtype=[("position", "<f4", 3), ("normal", "<f4", 3)])
    mixed["position"] = POINTS
    made["accessors"][0]["bufferView"] = view = add_view(made, mixed)
    made["bufferViews"][view]["byteStride"] = 24
    lift = np.zeros((6, 4), dtype="i1")
    lift[:, 2] = 127
    made["accessors"][1] |= {"bufferView": add_view(made, lift), "componentType": 5120, "normalized": True}
    made["bufferViews"][-1]["byteStride"] = 4
    (body,) = load(tmp_path, made)
    assert body.vertices[1, :, 2].tolist() == [1.0] * 4


def test_morph_nodes_place_meshes_through_all_their_parents(tmp_path):
    made = document()
    half = float(np.sqrt(0.5))
    made["nodes"] = [
        {"name": "square", "mesh": 0, "translation": [0, 0, 1]},
        {"children": [0], "rotation": [0, 0, half, half], "scale": [2, 2, 2]},
        {"children": [1], "matrix": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 10, 0, 0, 1]},
    ]
    made["scenes"] = [{"nodes": [2]}]
    (body,) = load(tmp_path, made)
    np.testing.assert_allclose(body.vertices[0], [(10, 0, 2), (10, 2, 2), (8, 0, 2), (8, 2, 2)], atol=1e-12)
    np.testing.assert_allclose(body.vertices[1, :, 2], 6.0, atol=1e-12)


def test_morph_mesh_without_animation_stands_still_with_its_weights(tmp_path):
    made = document()
    made["nodes"].append({"name": "copy", "mesh": 0, "weights": [0.5]})
    made["scenes"] = [{"nodes": [0, 1]}]
    square, other = load(tmp_path, made)
    assert other.is_still
    assert np.array_equal(other.times, square.times)
    assert other.vertices[0, :, 2].tolist() == [1.0] * 4


def test_morph_track_that_holds_a_node_still_counts(tmp_path):
    made = document()
    rest = add_view(made, np.array([(0, 5, 0)] * 3, dtype="<f4"))
    made["accessors"].append({"bufferView": rest, "componentType": 5126, "count": 3, "type": "VEC3"})
    made["animations"].append(translation())
    assert load(tmp_path, made)[0].vertices[0, 0].tolist() == [0.0, 5.0, 0.0]


def test_morph_buffer_in_a_file_beside_and_in_a_glb(tmp_path):
    made = document()
    data = base64.b64decode(made["buffers"][0]["uri"].partition(",")[2])
    made["buffers"][0]["uri"] = "the%20data.bin"
    (tmp_path / "the data.bin").write_bytes(data)
    expected = load(tmp_path, document())[0].vertices
    assert np.array_equal(load(tmp_path, made)[0].vertices, expected)
    del made["buffers"][0]["uri"]
    text = json.dumps(made).encode()
    text += b" " * (-len(text) % 4)
    data += b"\0" * (-len(data) % 4)
    whole = struct.pack("<II", len(text), 0x4E4F534A) + text + struct.pack("<II", len(data), 0x004E4942) + data
    glb = struct.pack("<III", 0x46546C67, 2, 12 + len(whole)) + whole
    (tmp_path / "made.glb").write_bytes(glb)
    assert np.array_equal(carom.load_animation(tmp_path / "made.glb")[0].vertices, expected)
    for bad, message in (
        (glb[:-5], "it is cut off"),
        (b"glXX" + glb[4:], "not a GLB file"),
        (glb[:15], "not a GLB file"),
    ):
        (tmp_path / "bad.glb").write_bytes(bad)
        with pytest.raises(InvalidInputError, match=message):
            carom.load_animation(tmp_path / "bad.glb")


def test_glb_round_trips_to_float32(tmp_path):
    bodies = [grid(3, 5, 0), falling(), still()]
    carom.save_animation(tmp_path / "all.glb", bodies)
    found = carom.load_animation(tmp_path / "all.glb")
    assert [body.name for body in found] == ["cloth", "leaf", "floor"]
    for one, other in zip(bodies[:2], found[:2], strict=True):
        assert np.array_equal(one.faces, other.faces)
        np.testing.assert_allclose(other.times, one.times, rtol=1e-7)
        np.testing.assert_allclose(other.vertices, one.vertices, atol=1e-6)
    assert found[2].is_still


def test_glb_is_read_by_others_at_its_first_key(tmp_path):
    body = grid(3, 5, 0)
    carom.save_animation(tmp_path / "a.glb", body)
    other = trimesh.load_mesh(tmp_path / "a.glb", process=False)
    np.testing.assert_allclose(other.vertices, body.vertices[0], atol=1e-6)
    assert np.array_equal(other.faces, body.faces)


def change(made, path, value):
    """Set made[path[0]][path[1]]... to a value; None removes it."""
    at = made
    for step in path[:-1]:
        at = at[step]
    if value is None:
        del at[path[-1]]
    else:
        at[path[-1]] = value


REFUSED = {
    "skin": (("nodes", 0, "skin"), 0, "moved by a skin"),
    "step": (("animations", 0, "samplers", 0, "interpolation"), "STEP", "change by STEP; expected LINEAR"),
    "cubic": (("animations", 0, "samplers", 0, "interpolation"), "CUBICSPLINE", "change by CUBICSPLINE"),
    "draco": (("extensionsRequired",), ["KHR_draco_mesh_compression"], "needs the extension KHR_draco_mesh_compression"),
    "mode": (("meshes", 0, "primitives", 0, "mode"), 7, "has a primitive of mode 7; expected 0 to 6"),
    "lines": (("meshes", 0, "primitives", 0, "mode"), 1, "holds no triangles"),
    "version": (("asset", "version"), "1.0", "is glTF 1.0; expected 2.0"),
    "no version": (("asset",), None, "not a glTF file"),
    "no mesh": (("nodes", 0, "mesh"), None, "holds no mesh"),
    "beyond the buffer": (("accessors", 0, "count"), 9999, "an accessor reaches beyond buffer view 0: to byte 119988 of 72"),
    "unknown type": (("accessors", 0, "type"), "VEC9", "accessor 0 is damaged: 'VEC9' is missing or unknown"),
    "no accessor": (("meshes", 0, "primitives", 0, "indices"), 77, r"refers to accessors\[77\], but has 5 from 0 on"),
    "bad base64": (("buffers", 0, "uri"), "data:;base64,***", "not base64"),
    "no buffer file": (("buffers", 0, "uri"), "none.bin", r"its buffer 0 should be in .*none\.bin, but there is no such file"),
    "loop": (("nodes", 0, "children"), [0], "no tree"),
    "nothing moves": (("animations",), None, "nothing moves"),
    "two animations": (("animations",), document()["animations"] * 2, "two animations move weights of node 0"),
    "too few weights": (("accessors", 4, "count"), 2, "2 values at 3 times"),
    "no targets": (("meshes", 0, "primitives", 0, "targets"), None, "has 0 morph targets but 1 weights"),
    "no count": (("accessors", 0, "count"), None, "accessor 0 is damaged: 'count' is missing or unknown"),
    "no sampler": (("animations", 0, "samplers"), [], "its description is damaged: it refers to an entry that is not there"),
    "words for nodes": (("scenes", 0, "nodes"), "x", r"refers to nodes\['x'\], but has 1 from 0 on"),
    "number for nodes": (("scenes", 0, "nodes"), 5, "its description is damaged: a value in it is of the wrong kind"),
    "weights in rows": (
        ("accessors", 4), {"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC2"},
        "weights of node 0, accessor 4, hold VEC2; expected SCALAR",
    ),
    "lost corner": (("accessors", 2, "count"), 5, "corners are missing"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_morph_file_that_is_wrong_or_not_linear_is_refused_by_name(tmp_path, case):
    path, value, message = REFUSED[case]
    made = copy.deepcopy(document())
    change(made, path, value)
    with pytest.raises(InvalidInputError, match=message) as caught:
        load(tmp_path, made)
    assert "made.gltf" in str(caught.value)
    assert "Error" not in str(caught.value)


def test_morph_moving_node_is_refused(tmp_path):
    made = document()
    move = add_view(made, np.array([(0, 0, 0), (0, 1, 0), (0, 2, 0)], dtype="<f4"))
    made["accessors"].append({"bufferView": move, "componentType": 5126, "count": 3, "type": "VEC3"})
    made["animations"].append(translation())
    with pytest.raises(InvalidInputError, match="square has an animated translation"):
        load(tmp_path, made)


def test_morph_file_with_a_moving_camera_is_read_without_it(tmp_path):
    made = document()
    move = add_view(made, np.array([(0, 0, 0), (0, 1, 0), (0, 2, 0)], dtype="<f4"))
    made["accessors"].append({"bufferView": move, "componentType": 5126, "count": 3, "type": "VEC3"})
    made["animations"].append(translation())
    made["animations"][1]["channels"][0]["target"]["node"] = 1
    made["nodes"] += [{"name": "rig", "children": [2]}, {"name": "eye", "camera": 0}]
    made["scenes"][0]["nodes"] = [0, 1]
    expected = load(tmp_path, document())[0]
    (found,) = load(tmp_path, made)
    assert np.array_equal(found.vertices, expected.vertices)
    made["nodes"][2]["mesh"] = 0
    with pytest.raises(InvalidInputError, match="rig has an animated translation"):
        load(tmp_path, made)


def test_text_that_is_no_gltf_is_refused(tmp_path):
    (tmp_path / "a.gltf").write_text("hello")
    with pytest.raises(InvalidInputError, match="not a glTF file"):
        carom.load_animation(tmp_path / "a.gltf")
