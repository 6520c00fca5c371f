"""The page and its data, read back by another reader than the page's own."""

from __future__ import annotations

import base64
import dataclasses
import gzip
import hashlib
import json
import re
import shutil
import subprocess
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

import carom
from carom.errors import CaromError
from carom.motion import Motions
from carom.scenes import scene
from carom.view import Contacts, Film, Pieces, Replay, page_html, write_page
from carom.view.page_data import pack_replay
from carom.view.room import room_of, wall_polygons
from scenarios.replay_samples import flapping, lively_world

WEB = Path(__file__).parents[2] / "web"
TYPES = {"f8": "<f8", "f4": "<f4", "i4": "<i4", "u4": "<u4", "u2": "<u2", "u1": "u1"}


@pytest.fixture(scope="module")
def lively():
    world = lively_world()
    world.add(flapping())
    film = Film(world)
    film.advance(2.0)
    return film.replay("lively")


def unpacked(packed):
    """Header and arrays of a page's data."""
    data = gzip.decompress(packed)
    length = int.from_bytes(data[:4], "little")
    header = json.loads(data[4 : 4 + length])
    arrays = {}
    for name, (code, offset, size) in header["arrays"].items():
        kind = np.dtype(TYPES[code])
        begin = 4 + length + offset
        planes = np.frombuffer(data[begin : begin + size * kind.itemsize], np.uint8).reshape(kind.itemsize, size)
        arrays[name] = np.ascontiguousarray(planes.T).view(kind).ravel()
    return header, arrays


def test_page_data_holds_every_bit_of_the_motions_and_contacts(lively):
    header, arrays = unpacked(pack_replay(lively))
    motions = lively.pieces.motions
    assert (header["title"], header["begin"], header["end"]) == ("lively", 0.0, 2.0)
    assert header["names"] == list(lively.names)
    assert np.array_equal(arrays["piece.position"].reshape(-1, 3), motions.positions)
    assert np.array_equal(arrays["piece.velocity"].reshape(-1, 3), motions.velocities)
    assert np.array_equal(arrays["piece.acceleration"].reshape(-1, 3), motions.accelerations)
    assert np.array_equal(arrays["piece.start"], motions.start)
    assert np.array_equal(arrays["contact.time"], lively.contacts.times)
    assert np.array_equal(arrays["contact.point"].reshape(-1, 3), lively.contacts.points)
    surface = lively.surfaces[len(lively) - 1]
    places = arrays["surface.vertices"].reshape(-1, *surface.vertices.shape[1:])
    assert len(places) == 2 < len(surface.times)
    assert np.array_equal(places[arrays["surface.key_place"]], surface.vertices)
    assert arrays["body.surface"].tolist() == [-1] * (len(lively) - 1) + [0]


def test_page_data_has_one_orientation_of_a_body_that_does_not_turn(lively):
    _, arrays = unpacked(pack_replay(lively))
    count = np.diff(arrays["turn.first"])
    box = lively.names.index("body 8")
    assert count[box] == np.diff(arrays["piece.first"])[box] > 1
    assert (np.delete(count, box) == 1).all()
    assert arrays["turn.orientation"].size == 4 * arrays["turn.first"][-1]


def test_page_data_is_the_same_each_time(lively):
    assert pack_replay(lively) == pack_replay(lively)


def test_page_data_keeps_a_sphere_tree_once_for_all_its_shapes(lively):
    row = int(lively.shape_index[8])
    levels = [np.array([(0.0, 0.0, 0.0, 1.0)]), np.array([(0.3, 0.0, 0.0, 0.5), (-0.3, 0.0, 0.0, 0.5)])]
    both = {row: levels, row + 1: levels}
    shown = dataclasses.replace(lively, sphere_levels=both, sphere_scales={row + 1: 0.5})
    _, arrays = unpacked(pack_replay(shown))
    assert np.flatnonzero(arrays["shape.tree"] == 0).tolist() == [row, row + 1]
    assert (np.delete(arrays["shape.tree"], [row, row + 1]) == -1).all()
    assert arrays["shape.tree_scale"][[row, row + 1]].tolist() == [1.0, 0.5]
    assert arrays["tree.first"].tolist() == [0, 2]
    assert arrays["level.first"].tolist() == [0, 1, 3]
    assert np.array_equal(arrays["level.spheres"].reshape(-1, 4), np.concatenate(levels).astype(np.float32))


def test_room_ends_at_the_walls_and_walls_at_the_room(lively):
    low, high = room_of(lively)
    assert np.array_equal(low, np.full(3, -3.0))
    assert np.array_equal(high, np.full(3, 3.0))
    polygons = wall_polygons(lively, low, high)
    assert len(polygons) == 6
    for row, corners in polygons.items():
        wall = lively.shapes[row]
        assert np.abs(corners @ wall.normal - wall.offset).max() < 1e-12
        assert np.abs(np.abs(corners) - 3.0).max() < 1e-8
        area = np.cross(corners[1] - corners[0], corners[2] - corners[0])
        assert area @ wall.normal > 0.0


def test_room_of_a_slanted_floor_cuts_it_to_the_bodies():
    world = carom.World()
    world.add(carom.HalfSpace((1.0, 0.0, 1.0), 0.0), mass=np.inf)
    world.add(carom.Sphere(1.0), carom.Motion((2.0, 0.0, 2.0)))
    world.add(carom.Sphere(1.0), carom.Motion((-2.0, 0.0, 4.0)))
    replay = Film(world).replay("slope")
    low, high = room_of(replay)
    (corners,) = wall_polygons(replay, low, high).values()
    assert (corners >= low - 1e-6).all()
    assert (corners <= high + 1e-6).all()


def test_room_of_nothing_finite_is_two_metres_wide():
    world = carom.World()
    world.add(carom.HalfSpace((1.0, 1.0, 1.0), 0.0))
    low, high = room_of(Film(world).replay("empty"))
    assert (high - low).tolist() == [2.0, 2.0, 2.0]


def test_page_holds_its_parts_and_escapes_its_title(lively):
    page = page_html(dataclasses.replace(lively, title="<b>{{DATA}}</b></title>"))
    assert "<title>&lt;b&gt;{{DATA}}&lt;/b&gt;&lt;/title&gt; · carom replay</title>" in page
    data = re.search(r'id="data">([A-Za-z0-9+/=]+)</script>', page)
    header, _ = unpacked(base64.b64decode(data[1]))
    assert header["title"] == "<b>{{DATA}}</b></title>"
    assert page.count("<script") == page.count("</script") == 2
    assert "three.js authors" in page


def test_page_of_a_thousand_rings_and_five_thousand_contacts_is_below_five_megabytes():
    made, rng = scene("rings", objects=1000), np.random.default_rng(8)
    n_bodies, n_pieces, n_contacts = len(made), 11_000, 5_000
    body = np.sort(np.concatenate([np.arange(n_bodies), rng.integers(0, n_bodies, n_pieces - n_bodies)]))
    since = rng.uniform(0.0, 10.0, n_pieces)
    # Random numbers: nothing in them that could be compressed.
    vectors = rng.normal(size=(4, n_pieces, 3))
    motions = Motions(vectors[0], vectors[1], orientations=made.orientations[body], start=since)
    pair = rng.integers(0, n_bodies, (2, n_contacts))
    points, normals = rng.normal(size=(2, n_contacts, 3))
    times, speeds = np.sort(rng.uniform(0.0, 10.0, n_contacts)), rng.uniform(size=n_contacts)
    faces = rng.integers(0, 64, (2, n_contacts))
    contacts = Contacts(times, *pair, points, normals, speeds, *faces, np.zeros(n_contacts, int), ("exact",))
    pieces = Pieces(np.searchsorted(body, np.arange(n_bodies + 1)), since, motions)
    names = [f"body {k}" for k in range(n_bodies)]
    replay = Replay("rings", 0.0, 10.0, names, made.shapes, made.shape_index, pieces, {}, contacts, np.zeros(3))
    assert len(page_html(replay).encode()) < 5_000_000


def test_page_that_cannot_be_written_is_one_clear_error(lively, tmp_path):
    with pytest.raises(CaromError, match="cannot be written"):
        write_page(lively, tmp_path / "none" / "page.html")


SCRIPTS = ("vendor/three.js", "viewer.js")


def bundle(name="viewer.js"):
    return (files("carom.view") / "assets" / name).read_bytes()


def test_bundle_is_of_the_present_sources():
    if not WEB.is_dir():
        pytest.skip("the page's sources are not in this installation")
    digest = hashlib.sha256()
    for path in ["build.mjs", "package.json", *sorted(f"src/{p.name}" for p in (WEB / "src").iterdir())]:
        digest.update(path.encode() + b"\0" + (WEB / path).read_bytes() + b"\0")
    assert bundle().startswith(b"/* sources " + digest.hexdigest().encode()), "web/ was edited: run `make web`"


def test_bundle_carries_the_licence_of_three():
    for words in (b"The MIT License", b"three.js authors", b"shall be included in\nall copies or substantial portions"):
        assert words in bundle("vendor/three.js")


@pytest.mark.parametrize("name", SCRIPTS)
def test_bundle_ends_no_script(name):
    for words in (b"</script", b"<!--"):
        assert words not in bundle(name).lower()


def test_bundle_rebuilt_is_the_same(tmp_path):
    if shutil.which("node") is None:
        pytest.skip("no Node here: the bundle of the replay page is not rebuilt")
    if not (WEB / "node_modules" / "esbuild").is_dir() or not (WEB / "node_modules" / "three").is_dir():
        pytest.skip("esbuild and three are not installed: `make web` installs them and rebuilds the bundle")
    subprocess.run(["node", str(WEB / "build.mjs"), str(tmp_path)], check=True)
    for name in SCRIPTS:
        assert (tmp_path / name).read_bytes() == bundle(name)


def test_docs_example_writes_its_page(tmp_path, monkeypatch):
    docs = Path(__file__).parents[2] / "docs" / "replay.md"
    if not docs.is_file():
        pytest.skip("the documentation is not in this installation")
    (code,) = re.findall(r"```python\n(.*?)```", docs.read_text(encoding="utf-8"), re.DOTALL)
    monkeypatch.chdir(tmp_path)
    found: dict = {}
    exec(compile(code, "replay.md", "exec"), found)
    assert len(found["contacts"]) > 0
    assert (tmp_path / "crate.html").stat().st_size > 600_000
