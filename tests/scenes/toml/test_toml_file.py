from __future__ import annotations

import json
import math

import numpy as np
import pytest
import trimesh
from pydantic import TypeAdapter

from carom.errors import SceneError
from carom.scenes import load_scene, scene, scene_schema
from carom.scenes.toml.lines import line_of

GOOD = """
name = "mixed"
until = 2.5
gravity = [0.0, 0.0, -9.81]

[response]
kind = "elastic"
restitution = 0.9

[world]
broad = "all-pairs"

[walls]
lower = [-5, -5, -5]
upper = [5, 5, 5]

[shapes.ball]
kind = "sphere"
radius = 0.5

[shapes.brick]
kind = "box"
extents = [1, 2, 3]

[shapes.floor]
kind = "half-space"
normal = [0, 0, 2]
offset = -8

[shapes.gem]
kind = "convex"
points = { file = "arrays.npz", array = "gem" }

[shapes.tetra]
kind = "mesh"
vertices = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
faces = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]]
scale = 0.5

[shapes.cube]
kind = "mesh"
file = "cube.obj"

[[bodies]]
shape = "ball"
position = [1, 2, 3]
velocity = [1, 0, 0]
mass = 2.0
group = 3
name = "the ball"

[[bodies]]
shape = "brick"
mass = inf
orientation = [2, 0, 0, 0]

[[swarms]]
shape = "ball"
positions = { file = "arrays.npz", array = "positions" }
velocities = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
masses = [1.0, 2.0, inf]

[[swarms]]
shape = ["gem", "tetra", "cube"]
positions = [[3, 3, 3], [-3, -3, -3], [3, -3, 3]]
accelerations = [[0, 0, 0], [0, 0, 0], [0, 0, 0]]
"""


@pytest.fixture
def folder(tmp_path):
    rng = np.random.default_rng(0)
    np.savez(
        tmp_path / "arrays.npz",
        gem=rng.standard_normal((12, 3)),
        positions=np.array([[0.0, 3, 0], [0, -3, 0], [3, 0, 0]]),
        holes=np.array([[0.0, 1, 2], [math.nan, 0, 0]]),
        words=np.array(["a", "b"]),
        none=np.empty((0, 3)),
        flat=np.zeros((3, 2)),
        masses=np.array([1.0, -1.0, 1.0]),
    )
    np.save(tmp_path / "one.npy", np.zeros((3, 3)))
    (tmp_path / "cut.npz").write_bytes((tmp_path / "arrays.npz").read_bytes()[:300])
    trimesh.creation.box((1, 1, 1)).export(tmp_path / "cube.obj")
    return tmp_path


def write(folder, text):
    path = folder / "scene.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_load_scene_reads_every_kind_of_entry(folder):
    made = load_scene(write(folder, GOOD))
    assert (made.name, made.until) == ("mixed", 2.5)
    assert made.response == {"kind": "elastic", "restitution": 0.9}
    assert made.world == {"broad": "all-pairs"}
    assert [type(shape).__name__ for shape in made.shapes[:6]] == [
        "Sphere",
        "Box",
        "HalfSpace",
        "Convex",
        "Mesh",
        "Mesh",
    ]
    assert made.shapes[4].vertices.max() == 0.5
    assert made.shape_index.tolist() == [0, 1, 0, 0, 0, 3, 4, 5, 6, 7, 8, 9, 10, 11]
    assert made.positions[0].tolist() == [1.0, 2.0, 3.0]
    assert made.masses[:5].tolist() == [2.0, math.inf, 1.0, 2.0, math.inf]
    assert made.groups[:2].tolist() == [3, 0]
    assert made.names[:2] == ("the ball", None)
    assert made.orientations[1].tolist() == [1.0, 0.0, 0.0, 0.0]
    # gravity pulls on what can move, unless the entry says otherwise
    assert made.accelerations[:8, 2].tolist() == [-9.81, 0.0, -9.81, -9.81, 0.0, 0.0, 0.0, 0.0]


def test_scene_of_a_toml_path_loads_it(folder):
    assert len(scene(write(folder, GOOD))) == 14


def test_scene_of_a_toml_path_takes_no_parameters(folder):
    with pytest.raises(SceneError, match="takes no parameters, got objects"):
        scene(write(folder, GOOD), objects=3)


def test_scene_file_name_that_takes_more_than_a_line_is_refused(folder):
    with pytest.raises(SceneError, match=r"line 1: name is 'a\\nb'; expected text that can be printed"):
        load_scene(write(folder, 'name = "a\\nb"\n[shapes.b]\nkind = "sphere"\nradius = 1\n[[bodies]]\nshape = "b"\n'))


def test_scene_file_name_is_the_default_name(folder):
    made = load_scene(write(folder, '[shapes.b]\nkind = "sphere"\nradius = 1\n[[bodies]]\nshape = "b"\n'))
    assert made.name == "scene"
    line_break = folder / "a\nb.toml"
    line_break.write_text((folder / "scene.toml").read_text())
    assert load_scene(line_break).name == r"a\nb"
    assert made.response == {"kind": "none"}


BALL = '[shapes.ball]\nkind = "sphere"\nradius = 1.0\n'
BODY = BALL + '[[bodies]]\nshape = "ball"\n'
SWARM = BALL + '[[swarms]]\nshape = "ball"\n'
MESH = '[shapes.m]\nkind = "mesh"\n{}\n[[bodies]]\nshape = "m"\n'
TETRA = "vertices = [[0,0,0],[1,0,0],[0,1,0],[0,0,1]]\n"

FILED = 'positions = {{ file = "arrays.npz", array = "{}" }}'

BAD = {
    "bad toml": ("x = = 1", r"not valid TOML: .*line 1"),
    "empty": ("", r"has no bodies; expected at least one \[\[bodies\]\]"),
    "shapes only": (BALL, "has no bodies"),
    "unknown key": (
        BODY + "postion = [0,0,0]",
        r"line 6: bodies\[0\]\.postion is not a known key; did you mean 'position'",
    ),
    "unknown top key": ("colour = 3\n" + BODY, r"line 1: colour is not a known key"),
    "unknown kind": (
        '[shapes.b]\nkind = "spher"',
        r"line 2: shapes\.b\.kind is 'spher'; expected one of 'sphere', 'box'",
    ),
    "no kind": ("[shapes.b]\nradius = 1", r"line 1: shapes\.b\.kind is missing"),
    "negative radius": (BODY.replace("1.0", "-1.0"), r"line 3: shapes\.ball\.radius is -1.0; expected a number above 0"),
    "zero radius": (BODY.replace("1.0", "0"), r"shapes\.ball\.radius is 0; expected a number above 0"),
    "nan radius": (BODY.replace("1.0", "nan"), r"shapes\.ball\.radius is nan; expected"),
    "inf radius": (BODY.replace("1.0", "inf"), r"shapes\.ball\.radius is inf; expected a finite number"),
    "text radius": (BODY.replace("1.0", '"1"'), r"shapes\.ball\.radius is '1'; expected a number"),
    "no radius": ('[shapes.b]\nkind = "sphere"', r"line 1: shapes\.b\.radius is missing"),
    "shape not a table": ("[shapes]\nball = 3\n", r"line 2: shapes\.ball is 3; expected a table"),
    "nan position": (
        BODY + "position = [0, nan, 0]",
        r"line 6: bodies\[0\]\.position\[1\] is nan; expected a finite number",
    ),
    "inf velocity": (BODY + "velocity = [inf, 0, 0]", r"bodies\[0\]\.velocity\[0\] is inf; expected a finite number"),
    "short position": (BODY + "position = [0, 0]", r"line 6: bodies\[0\]\.position is \[0, 0\]; expected 3 numbers, not 2"),
    "long position": (BODY + "position = [0, 0, 0, 0]", r"bodies\[0\]\.position is .*; expected 3 numbers, not 4"),
    "zero quaternion": (BODY + "orientation = [0,0,0,0]", r"bodies\[0\]\.orientation has length 0"),
    "negative mass": (BODY + "mass = -2", r"bodies\[0\]\.mass is -2; expected a number above 0"),
    "nan mass": (BODY + "mass = nan", r"bodies\[0\]\.mass is nan"),
    "group too large": (BODY + "group = 64", r"bodies\[0\]\.group is 64; expected 63 or less"),
    "no shape": (BALL + "[[bodies]]\nmass = 1", r"line 4: bodies\[0\]\.shape is missing"),
    "unknown shape": (
        BODY.replace('shape = "ball"', 'shape = "bal"'),
        r"bodies\[0\]\.shape is 'bal'.*did you mean 'ball'",
    ),
    "no shapes": (
        '[[bodies]]\nshape = "b"',
        r"line 2: bodies\[0\]\.shape is 'b'.*there are none: describe it in \[shapes\.b\]",
    ),
    "second body": (BODY + '[[bodies]]\nshape = "ball"\nmass = 0', r"line 8: bodies\[1\]\.mass is 0"),
    "several faults": (
        BODY + 'mass = 0\ngroup = "x"',
        r"mass is 0; expected a number above 0; also line 7: bodies\[0\]\.group is 'x'; expected a whole"
    ),
    "missing and unknown": (
        '[shapes.crate]\nkind = "box"\nsize = [1, 1, 1]',
        r"line 1: shapes\.crate\.extents is missing; also line 3: .*\.size is not a known key; expected kind, extents$",
    ),
    "misspelt shape key": ('[shapes.b]\nkind = "cone"\nradius = 1\nhieght = 2', r"hieght is not .*; did you mean 'height'\?"),
    "unknown reference key": (
        SWARM + 'positions = { file = "arrays.npz", array = "gem", rows = 3 }',
        r"swarms\[0\]\.positions\.rows is not a known key; expected file, array$",
    ),
    "unknown wall key": (BODY + "[walls]\nlower = [0,0,0]\nupper = [1,1,1]\nz = 0", r"walls\.z is .*; expected lower, upper$"),
    "four faults": (
        "until = -1\ngravity = 3\n" + BODY + 'mass = 0\ngroup = "x"',
        r"gravity is 3; expected a list; also line 8: .*\(and 1 more\)$"
    ),
    "restitution": (BODY + '[response]\nkind = "elastic"\nrestitution = 1.5', r"line 8: response\.restitution is 1.5"),
    "until": ("until = 0\n" + BODY, r"line 1: until is 0; expected a number above 0"),
    "walls inverted": (BODY + "[walls]\nlower = [0,0,0]\nupper = [1,0,1]", r"line 6: walls .*lower < upper"),
    "zero normal": ('[shapes.f]\nkind = "half-space"\nnormal = [0,0,0]', r"shapes\.f\.normal is \(0, 0, 0\)"),
    "flat convex": (
        '[shapes.c]\nkind = "convex"\npoints = [[0,0,0],[1,0,0],[0,1,0],[1,1,0]]',
        r"shapes\.c\.points all lie",
    ),
    "box side": ('[shapes.b]\nkind = "box"\nextents = [1, 0, 1]', r"shapes\.b\.extents\[1\] is 0"),
    "mesh without faces": (MESH.format(TETRA), r"shapes\.m is a mesh; expected either a file, or both"),
    "mesh with all": (MESH.format(TETRA + 'faces = [[0,1,2]]\nfile = "cube.obj"'), "expected either a file, or both"),
    "face out of range": (
        MESH.format(TETRA + "faces = [[0,1,9]]"),
        r"shapes\.m\.faces\[0\] is .*9.*; expected rows of vertices",
    ),
    "negative face": (MESH.format(TETRA + "faces = [[0,1,-1]]"), r"shapes\.m\.faces\[0\]\[2\] is -1"),
    "fraction face": (MESH.format(TETRA + "faces = [[0,1,1.5]]"), r"shapes\.m\.faces\[0\]\[2\] is 1.5"),
    "no faces": (MESH.format(TETRA + "faces = []"), r"shapes\.m\.faces"),
    "no mesh file": (
        MESH.format('file = "nowhere.obj"'),
        r"line 3: shapes\.m\.file names nowhere\.obj, but there is no file",
    ),
    "not a mesh": (MESH.format('file = "arrays.npz"'), r"shapes\.m\.file .*npz"),
    "no npz": (SWARM + 'positions = { file = "no.npz", array = "x" }', r"line 6: swarms\[0\]\.positions names no\.npz"),
    "no array": (SWARM + FILED.format("x"), r"names the array 'x' of arrays\.npz.*only: gem"),
    "not npz": (SWARM + 'positions = { file = "cube.obj", array = "x" }', r"swarms\[0\]\.positions names cube\.obj"),
    "npy": (SWARM + 'positions = { file = "one.npy", array = "x" }', r"one\.npy, which cannot be read as \.npz"),
    "cut npz": (SWARM + 'positions = { file = "cut.npz", array = "gem" }', r"cut\.npz, which cannot be read as \.npz"),
    "nan in npz": (SWARM + FILED.format("holes"), r"positions\[1, 0\] is nan"),
    "words in npz": (SWARM + FILED.format("words"), r"positions cannot be read as numbers"),
    "npz shape": (SWARM + FILED.format("flat"), r"has shape \(3, 2\); expected \(n, 3\)"),
    "npz empty": (SWARM + FILED.format("none"), r"positions is empty"),
    "half a reference": (SWARM + 'positions = { file = "arrays.npz" }', r"swarms\[0\]\.positions\.array is missing"),
    "positions number": (SWARM + "positions = 3", r"positions is 3; expected a list of vectors, or"),
    "row count": (
        SWARM + "positions = [[0,0,0]]\nvelocities = [[0,0,0],[1,1,1]]",
        r"velocities has 2 rows; expected 1",
    ),
    "mass count": (SWARM + "positions = [[0,0,0]]\nmasses = [1.0, 1.0]", r"masses has shape \(2,\); expected \(1,\)"),
    "mass in list": (SWARM + "positions = [[0,0,0]]\nmasses = [-1.0]", r"masses\[0\] is -1.0; expected a number above 0"),
    "mass text": (SWARM + 'positions = [[0,0,0]]\nmasses = "x"', r"masses is 'x'; expected a number"),
    "mass in npz": (
        SWARM + FILED.format("positions") + '\nmasses = { file = "arrays.npz", array = "masses" }',
        r"masses\[1\] is -1.0",
    ),
    "names count": (SWARM.replace('"ball"\n', '["ball"]\n', 1) + "positions = [[0,0,0],[3,3,3]]", r"shape has 1 name;"),
}  # fmt: skip


BAD |= {
    "deep lists": ("until = 1\ngravity = " + "[" * 100_000, "line 2: lists or tables are nested too deeply"),
    "deep tables": ("walls = " + "{ a = " * 100_000, "line 1: lists or tables are nested too deeply"),
    "many parts": ("until = 1\n" + "a." * 20_000 + "b = 1", "line 2: a key has too many parts"),
    "many quoted parts": ('"a" . ' * 20_000 + "b = 1", "line 1: a key has too many parts"),
    "many parts of a header": ("[" + "a." * 20_000 + "b]", "line 1: a key has too many parts"),
    "many digits": (BODY + "mass = " + "9" * 5000, "line 6: a number has too many digits"),
    "many digits, hexadecimal": (
        BODY + "mass = 0x" + "f" * 5000,
        r"line 6: bodies\[0\]\.mass has more digits than 64 bits hold",
    ),
    "beyond floats": (BODY + "mass = 1" + "0" * 400, r"line 6: bodies\[0\]\.mass has more digits than 64 bits hold"),
    "date": (
        BODY + "mass = 2020-01-01",
        r"line 6: bodies\[0\]\.mass is datetime\.date\(2020, 1, 1\); expected a number",
    ),
    "time in list": (
        BODY + "spin = [0, 12:00:00, 0]",
        r"line 6: bodies\[0\]\.spin\[1\] is datetime\.time\(12, 0\); expected",
    ),
    "duplicate key": (BODY + "mass = 1\nmass = 2", r"not valid TOML: Cannot overwrite a value \(at line 7"),
    "zero byte": ("until = 1\x00", r"not valid TOML: .*\(at line 1"),
    "half a surrogate": ('name = "\\ud800"', r"not valid TOML: .*\(at line 1"),
    "zero byte in a name": (
        MESH.format('file = "a\\u0000b.obj"'),
        r"line 3: shapes\.m\.file names a\\x00b\.obj, but there is no",
    ),
    "endless name": (
        MESH.format(f'file = "{"x" * 9000}.obj"'),
        r"line 3: shapes\.m\.file names x{200}\.\.\.x+\.obj, but there",
    ),
    "long kind": (
        '[shapes.b]\nkind = "' + "x" * 9000 + '"',
        r"line 2: shapes\.b\.kind is 'x{10,30}\.\.\.x{10,30}'; expected one",
    ),
    "key with a line end": ('[shapes."a\\nb"]\nkind = "x"', r'line 2: shapes\."a\\nb"\.kind is \'x\'; expected one of'),
    "after a list of lists": (
        SWARM + "positions = [\n  [0, 0, 0],\n  [1, 1, 1]\n]\nmasses = 'x'",
        r"line 10: swarms\[0\]\.masses is 'x'; expected a number",
    ),
    "after a text of lines": (
        'name = """\n[walls]\nuntil = 3\n"""\nuntil = -1\n' + BODY, r"line 5: until is -1; expected a number above 0"
    ),
    "unpacks to too much": (
        SWARM + 'positions = { file = "much.npz", array = "x" }',
        r"much\.npz: takes 24 MB in memory, more than",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_load_scene_bad_input_is_one_clear_error(folder, case, monkeypatch):
    text, message = BAD[case]
    if "much" in text:
        monkeypatch.setenv("CAROM_UNPACK_LIMIT", "1MB")
        np.savez_compressed(folder / "much.npz", x=np.zeros((1_000_000, 3)))
    with pytest.raises(SceneError, match=message) as caught:
        load_scene(write(folder, text))
    assert str(folder / "scene.toml") in str(caught.value)
    assert "\n" not in str(caught.value)


def test_load_scene_missing_file_and_folder(tmp_path):
    with pytest.raises(SceneError, match="no such scene file"):
        load_scene(tmp_path / "none.toml")
    with pytest.raises(SceneError, match="cannot be read"):
        load_scene(tmp_path)


def test_load_scene_binary_file(tmp_path):
    (tmp_path / "x.toml").write_bytes(b"until = 1\n\xff\xfe\x00")
    with pytest.raises(SceneError, match=r"not a text file in UTF-8 \(line 2, byte 10\)"):
        load_scene(tmp_path / "x.toml")


def test_load_scene_reads_a_file_that_begins_with_a_byte_order_mark(tmp_path):
    (tmp_path / "x.toml").write_bytes(b"\xef\xbb\xbf" + BODY.encode())
    assert len(load_scene(tmp_path / "x.toml")) == 1


def test_load_scene_never_unpickles(folder):
    np.savez(folder / "evil.npz", x=np.array([{"a": 1}], dtype=object))
    with pytest.raises(SceneError, match=r"evil\.npz, which cannot be read"):
        load_scene(write(folder, SWARM + 'positions = { file = "evil.npz", array = "x" }'))


def test_load_scene_world_option_that_the_world_refuses_is_an_error_at_build(folder):
    made = load_scene(write(folder, BODY + '[world]\nbroad = "magic"\n'))
    with pytest.raises(ValueError, match="broad is 'magic'"):
        made.build()


def test_scene_schema_is_json_and_names_every_table():
    schema = json.loads(json.dumps(scene_schema()))
    assert set(schema["properties"]) >= {"shapes", "bodies", "swarms", "walls", "response", "world", "gravity"}
    assert schema["additionalProperties"] is False
    assert TypeAdapter(dict).validate_python(schema)


def test_scene_schema_describes_every_key_and_has_lists_of_one_length_only():
    schema = scene_schema()
    for table in (schema, *schema["$defs"].values()):
        assert table["description"]
        for key, about in table["properties"].items():
            assert about["description"], key
    text = json.dumps(schema)
    for length in range(10):  # too short and too long are said in the same words, as a length that is wrong
        assert text.count(f'"minItems": {length}') == text.count(f'"maxItems": {length}')


@pytest.mark.parametrize(
    ("place", "line"),
    [
        (("a",), 1),
        (("b", "x"), 4),
        (("c", 1), 7),
        (("c", 1, "y", 2), 8),
        (("d", "e f", "k"), 10),
        (("zzz",), None),
        (("e",), 11),
    ],
)
def test_line_of_follows_headers_and_keys(place, line):
    text = 'a = 1\n[b]\n# note\nx = 2\n[[c]]\ny = 1\n[[c]]\ny = [1, 2]\n[d."e f"]\nk = 1\n[e.f]\n'
    assert line_of(text, place) == line


def test_scene_file_lets_bodies_spin(tmp_path):
    path = tmp_path / "spin.toml"
    path.write_text(
        """
until = 4.0
[response]
kind = "none"
[shapes.rod]
kind = "box"
extents = [2.0, 0.2, 0.2]
[shapes.ball]
kind = "sphere"
radius = 0.1
[[bodies]]
shape = "rod"
spin = [0.0, 0.0, 0.5]
[[swarms]]
shape = "ball"
positions = [[0.0, 0.8, 0.0]]
spins = [[1.0, 0.0, 0.0]]
""",
        encoding="utf-8",
    )
    loaded = load_scene(path)
    assert np.array_equal(loaded.spins, [[0.0, 0.0, 0.5], [1.0, 0.0, 0.0]])
    log = loaded.build().advance(4.0)
    assert log.times[0] == pytest.approx((math.pi / 2 - math.asin(0.25)) / 0.5, abs=1e-8)


@pytest.mark.parametrize(
    ("entry", "place"),
    [
        ('[[bodies]]\nshape = "floor"\nspin = [0, 0, 1]\n', "bodies[0].spin"),
        ('[[swarms]]\nshape = "floor"\npositions = [[0, 0, 0]]\nspins = [[0, 0, 1]]\n', "swarms[0].spins[0]"),
    ],
)
def test_load_scene_refuses_a_half_space_that_spins_by_its_line(tmp_path, entry, place):
    path = tmp_path / "spun.toml"
    path.write_text(f'[shapes]\nfloor = {{ kind = "half-space", normal = [0, 0, 1] }}\n\n{entry}', encoding="utf-8")
    with pytest.raises(SceneError) as caught:
        load_scene(path)
    assert place in str(caught.value)
    assert f"spun.toml, line {6 if 'bodies' in place else 7}" in str(caught.value)
    assert "a half-space cannot spin in a world, use orientation" in str(caught.value)
