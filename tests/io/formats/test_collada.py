"""COLLADA files: polygons with notches stay open, scenes are placed, and what is wrong is one error."""

from __future__ import annotations

import contextlib
import zipfile

import numpy as np
import pytest

import carom
from carom.errors import InvalidInputError
from carom.io.formats import collada_file

NOTCHED = [(0, 0), (4, 0), (4, 4), (2, 1), (0, 4)]
"""A concave polygon: (2, 3) is outside of it, in the notch."""
ARROW = [(0, 0), (2, 1), (4, 0), (2, 4)]
"""A concave quadrilateral: (2, 0.5) is outside of it."""


def document(polygons, points, nodes='<node><instance_geometry url="#g"/></node>', extra=""):
    """A file of one geometry g."""
    numbers = " ".join(str(x) for point in points for x in (*point, 0)[:3])
    return f"""<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<library_geometries><geometry id="g"><mesh>
<source id="s"><float_array id="a" count="{3 * len(points)}">{numbers}</float_array>
<technique_common><accessor source="#a" count="{len(points)}" stride="3"/></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#s"/></vertices>
{polygons}
</mesh></geometry></library_geometries>{extra}
<library_visual_scenes><visual_scene id="w">{nodes}</visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#w"/></scene></COLLADA>"""


VERTEX = '<input semantic="VERTEX" source="#v" offset="0"/>'
WITH_NORMALS = '<input semantic="NORMAL" source="#s" offset="0"/><input semantic="VERTEX" source="#v" offset="1"/>'


def loaded(tmp_path, *arguments, **options):
    path = tmp_path / "a.dae"
    path.write_text(document(*arguments, **options))
    return carom.load(path)


def covers(mesh, x, y):
    """Does the flat mesh cover a point?"""
    return carom.collide(mesh, carom.Sphere(0.05), pose_b=at(x, y)).hit


def at(x, y):
    pose = np.eye(4)
    pose[:2, 3] = x, y
    return pose


@pytest.mark.parametrize(
    "polygons",
    [
        f'<polylist count="1">{VERTEX}<vcount>5</vcount><p>0 1 2 3 4</p></polylist>',
        f'<polygons count="1">{VERTEX}<p>0 1 2 3 4</p></polygons>',
        f'<polylist count="1">{WITH_NORMALS}<vcount>5</vcount><p>9 0 9 1 9 2 9 3 9 4</p></polylist>',
    ],
    ids=["polylist", "polygons", "with normals"],
)
def test_collada_polygon_keeps_its_notch_open(tmp_path, polygons):
    mesh = loaded(tmp_path, polygons, NOTCHED)
    assert len(mesh.faces) == 3
    assert covers(mesh, 1, 1)
    assert covers(mesh, 3.5, 2)
    assert not covers(mesh, 2, 3)


def test_collada_concave_quadrilateral_is_cut_at_its_notch(tmp_path):
    mesh = loaded(tmp_path, f"<polylist>{VERTEX}<vcount>4</vcount><p>0 1 2 3</p></polylist>", ARROW)
    assert not covers(mesh, 2, 0.5)
    assert covers(mesh, 2, 2)


def test_collada_triangles_strips_and_fans_are_read(tmp_path):
    square = [(0, 0), (1, 0), (0, 1), (1, 1)]
    polygons = (
        f'<triangles count="1">{VERTEX}<p>0 1 2</p></triangles><tristrips count="1">{VERTEX}<p>0 1 2 3</p></tristrips>'
        f'<trifans count="1">{VERTEX}<p>0 1 3 2</p></trifans><lines count="1">{VERTEX}<p>0 1</p></lines>'
    )
    mesh = loaded(tmp_path, polygons, square)
    assert mesh.faces.tolist() == [[0, 1, 2], [0, 1, 2], [1, 3, 2], [0, 1, 3], [0, 3, 2]]


def test_collada_nodes_are_placed_in_the_order_of_their_transforms(tmp_path):
    nodes = """<node><translate>1 2 3</translate><rotate>0 0 2 90</rotate><scale>2 2 2</scale>
    <node><matrix>1 0 0 1  0 1 0 0  0 0 1 0  0 0 0 1</matrix><instance_geometry url="#g"/></node>
    <instance_node url="#n"/></node>"""
    extra = '<library_nodes><node id="n"><instance_geometry url="#g"/></node></library_nodes>'
    triangle = f'<triangles count="1">{VERTEX}<p>0 1 2</p></triangles>'
    mesh = loaded(tmp_path, triangle, [(0, 0), (1, 0), (0, 1)], nodes=nodes, extra=extra)
    expected = [(1, 4, 3), (1, 6, 3), (-1, 4, 3), (1, 2, 3), (1, 4, 3), (-1, 2, 3)]
    np.testing.assert_allclose(mesh.vertices, expected, atol=1e-12)
    assert mesh.faces.tolist() == [[0, 1, 2], [3, 4, 5]]


def test_collada_archive_is_read(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.zae", "w") as archive:
        archive.writestr("b/x.dae", document(f"<triangles>{VERTEX}<p>0 1 2</p></triangles>", NOTCHED))
    assert carom.load(tmp_path / "a.zae").faces.tolist() == [[0, 1, 2]]


TRIANGLE = f'<triangles count="1">{VERTEX}<p>0 1 2</p></triangles>'
GOOD = document(TRIANGLE, NOTCHED)
BAD = {
    "cut off": (GOOD[:400], "line .* is no XML"),
    "entities": (GOOD.replace("<COLLADA", '<!DOCTYPE x [<!ENTITY a "b">]><COLLADA'), "declares entities"),
    "many bytes a letter": (GOOD.replace("?>", ' encoding="utf-7"?>'), "an encoding that is not read"),
    "no encoding": (GOOD.replace("?>", ' encoding="nothing"?>'), "an encoding that is not read"),
    "deep": ("<COLLADA>" + "<a>" * 1000 + "</a>" * 1000 + "</COLLADA>", "more than 200 deep"),
    "no scene": (GOOD.replace("instance_visual_scene", "nothing"), "holds no scene"),
    "another root": ("<svg/>", "expected <COLLADA>"),
    "elsewhere": (GOOD.replace('url="#g"', 'url="other.dae#g"'), "'other.dae#g'; expected the id of a <geometry>"),
    "no vertex": (GOOD.replace("0 1 2</p>", "0 1 7</p>"), "joins vertex 7; expected rows from 0 to 4"),
    "negative": (GOOD.replace("0 1 2</p>", "0 -1 2</p>"), "joins vertex -1"),
    "too few": (GOOD.replace("0 1 2</p>", "0 1</p>"), "declares 1 polygons and holds 0"),
    "words": (GOOD.replace("0 1 2</p>", "0 1 x</p>"), "holds what is no number"),
    "huge number": (GOOD.replace("0 1 2</p>", "0 1 99999999999999999999</p>"), "holds what is no number"),
    "count": (GOOD.replace('triangles count="1"', 'triangles count="-1"'), "count = '-1'"),
    "short": (GOOD.replace('count="5" stride', 'count="9" stride'), "takes 9 rows of 3 from 0 on out of 15"),
    "number of numbers": (GOOD.replace('id="a" count="15"', 'id="a" count="900"'), "declares 900 numbers and holds 15"),
    "nan": (GOOD.replace(">0 0 0 4", ">nan 0 0 4"), "finite number"),
    "skin": (GOOD.replace("instance_geometry", "instance_controller"), "instance_controller>, which is not read"),
    "holes": (GOOD.replace("<p>", "<ph><p>").replace("</p>", "</p></ph>"), "holes"),
    "nothing": (GOOD.replace("triangles", "lines"), "holds no triangles"),
    "a node in itself": (
        GOOD.replace("<node>", '<node id="n"><instance_node url="#n"/>'), "more than 200 deep inside one another",
    ),
    "two corners": (
        document(f"<polylist>{VERTEX}<vcount>2</vcount><p>0 1</p></polylist>", NOTCHED), "has 2 corners; expected 3",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_collada_file_that_is_wrong_is_one_error(tmp_path, case):
    text, message = BAD[case]
    path = tmp_path / "a.dae"
    path.write_text(text)
    with pytest.raises(InvalidInputError, match=message) as error:
        carom.load(path)
    assert str(error.value).startswith(f"{path}: ")


def test_collada_instances_beyond_the_limit_of_memory_are_refused(tmp_path, monkeypatch):
    monkeypatch.setenv("CAROM_UNPACK_LIMIT", "1MB")
    library = "".join(
        f'<node id="n{k}"><instance_node url="#n{k + 1}"/><instance_node url="#n{k + 1}"/></node>' for k in range(40)
    )
    extra = f'<library_nodes>{library}<node id="n40"><instance_geometry url="#g"/></node></library_nodes>'
    path = tmp_path / "a.dae"
    path.write_text(document(TRIANGLE, NOTCHED, nodes='<node><instance_node url="#n0"/></node>', extra=extra))
    with pytest.raises(InvalidInputError, match="more than the limit of 1 MB"):
        carom.load(path)


def test_collada_bytes_are_cut_and_altered_without_a_traceback(tmp_path):
    rng = np.random.default_rng(0)
    text = document(
        f'<polylist count="1">{WITH_NORMALS}<vcount>5</vcount><p>9 0 9 1 9 2 9 3 9 4</p></polylist>', NOTCHED
    )
    path = tmp_path / "a.dae"
    for _ in range(400):
        data = bytearray(text.encode())
        for place in rng.integers(0, len(data), int(rng.integers(1, 4))):
            data[place] = rng.integers(1, 127)
        path.write_bytes(bytes(data[: len(data) if rng.random() < 0.8 else int(rng.integers(len(data)))]))
        with contextlib.suppress(InvalidInputError):
            collada_file.read_collada(path)
