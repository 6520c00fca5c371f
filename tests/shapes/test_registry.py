"""Every registered shape does everything, and a subclass of one does it as its base."""

from __future__ import annotations

import json
import pickle

import numpy as np
import pytest

import carom
from carom.cli.app import app
from carom.narrow.convex.support import support
from carom.runfile.pack import pack_shapes, unpack_shapes
from carom.scenes import load_scene, scene_schema
from carom.shapes import Family, Shape, ShapeKind, core_of
from carom.shapes.parts.core_layout import MARGIN, POINTS
from carom.shapes.parts.parameters import REQUIRED, Value
from carom.shapes.registry import BY_CODE, BY_WORD, CURVED_SUPPORTS, SHAPES
from carom.view import Film
from carom.view.page_data import pack_replay
from geometry.shapes_in_pairs import SHAPES as SAMPLES
from geometry.shapes_in_pairs import moved, random_poses
from scenarios.replay_samples import flapping

STORED = [name for name, shape in SAMPLES.items() if shape.parameters]
IN_WORLDS = [name for name in STORED if name != "half-space"]
CONVEX = [name for name, shape in SAMPLES.items() if shape.family is Family.CONVEX]
TYPED = [name for name in STORED if all(each.value in (Value.SIZE, Value.SIZES) for each in SAMPLES[name].parameters)]


def subclassed(shape):
    """The same shape as an instance of a subclass of its class."""
    made = type(f"My{type(shape).__name__}", (type(shape),), {})
    return made(shape.pieces) if isinstance(shape, carom.Compound) else made.from_record(*shape.record())


def numbers(shape):
    return [np.asarray(part) for part in shape.record()]


def same(one, other):
    return all(np.array_equal(a, b) for a, b in zip(numbers(one), numbers(other), strict=True))


def flight(k=0, spin=1.0):
    return carom.Motion((3.0, 0.1 * k, 0.2), (-1.0, 0.0, 0.0), spin=(0.0, 0.3 * spin, spin))


def test_registry_has_a_sample_of_every_shape():
    assert {type(shape) for shape in SAMPLES.values()} == set(SHAPES)


def test_registry_codes_and_words_are_unique_and_never_change():
    codes = {shape.word or "compound": shape.code for shape in SHAPES}
    assert codes == {
        "sphere": 0, "box": 1, "convex": 2, "mesh": 3, "half-space": 4, "capsule": 6, "cylinder": 7, "cone": 8,
        "compound": 9, "ellipsoid": 10,
    }  # fmt: skip
    assert carom.Polled.code not in BY_CODE
    assert len(BY_CODE) == len(SHAPES)
    assert len(BY_WORD) == len(SHAPES) - 1


def test_registry_codes_of_curved_surfaces_are_no_kinds_of_other_cores():
    assert all(code > POINTS for code, _ in CURVED_SUPPORTS)


@pytest.mark.parametrize("name", CONVEX)
def test_support_of_a_convex_shape_is_its_extent_and_its_point(name):
    shape, core = SAMPLES[name], core_of(SAMPLES[name])
    rng = np.random.default_rng(2)
    directions = np.concatenate([rng.normal(size=(200, 3)), np.eye(3), -np.eye(3), 1e-200 * rng.normal(size=(5, 3))])
    for direction in directions:
        x, y, z, row = support(core, *direction)
        unit = direction / np.abs(direction).max()
        unit /= np.linalg.norm(unit)
        high = shape.extents_along(unit[None], np.array([1.0, 0.0, 0.0, 0.0]))[1][0]
        if np.abs(direction).max() > 1e-100 or shape.kind != ShapeKind.ROUND or isinstance(shape, carom.Ellipsoid):
            assert np.array([x, y, z]) @ unit + core[MARGIN] == pytest.approx(high, rel=1e-14, abs=1e-15)
        assert row >= -1


@pytest.mark.parametrize("name", STORED)
def test_record_of_a_shape_gives_the_same_shape_bit_for_bit(name):
    shape = SAMPLES[name]
    (again,) = unpack_shapes(pack_shapes([shape]))
    assert type(again) is type(shape)
    assert same(shape, again)
    floats, ints = shape.record()
    for wrong in (np.append(floats, 1.0), floats[:-1]):
        with pytest.raises((carom.CaromError, ValueError, IndexError)):
            type(shape).from_record(wrong, ints)


@pytest.mark.parametrize("name", STORED)
def test_scene_file_describes_every_shape_by_its_parameters(name, tmp_path):
    shape = SAMPLES[name]
    given = {
        each.name: getattr(shape, each.name)
        for each in shape.parameters
        if each.value is not Value.MESH_FILE and hasattr(shape, each.name)
    }
    lines = "\n".join(f"{key} = {json.dumps(np.asarray(value).tolist())}" for key, value in given.items())
    path = tmp_path / "scene.toml"
    path.write_text(f'[shapes.it]\nkind = "{shape.word}"\n{lines}\n[[bodies]]\nshape = "it"\n')
    (read,) = load_scene(path).shapes
    assert type(read) is type(shape)
    if name != "half-space":  # whose normal is divided by its length again
        assert same(read, shape)
    schema = scene_schema()["$defs"][f"{type(shape).__name__}Shape"]
    assert schema["properties"]["kind"]["const"] == shape.word
    assert set(schema["properties"]) == {"kind", *(each.name for each in shape.parameters)}
    assert set(schema["required"]) == {"kind", *(each.name for each in shape.parameters if each.default is REQUIRED)}


@pytest.mark.parametrize("name", TYPED)
def test_command_line_reads_every_shape_of_sizes(name, capsys):
    floats, _ = SAMPLES[name].record()
    typed = f"{SAMPLES[name].word}:{','.join(map(repr, floats.tolist()))}"
    with pytest.raises(SystemExit) as ended:
        app(["query", "distance", typed, "sphere:0.5", "--pose-b", "3,0.2,0.1", "--json"])
    assert ended.value.code == 0
    found = json.loads(capsys.readouterr().out)
    expected = carom.distance(SAMPLES[name], carom.Sphere(0.5), None, moved(3.0, 0.2, 0.1))
    assert found["distance"] == float(expected)


@pytest.mark.parametrize("name", IN_WORLDS)
@pytest.mark.parametrize("made", [lambda shape: shape, subclassed], ids=["itself", "subclass"])
def test_every_shape_lives_in_worlds(name, made, tmp_path):
    shape = made(SAMPLES[name])

    def story(world):
        world.add(carom.HalfSpace((0, 0, 1), -3.0), mass=np.inf)
        world.add(shape, flight())
        world.add(SAMPLES["box"], carom.Motion((-0.5, 0.1, 0.0), spin=(0.5, 0.0, 0.0)))
        world.add(shape, carom.Keyframes((0.0, 2.0, 4.0), [(0, 4, 0), (0, 0.5, 0), (0, 4, 0)]))
        return world

    world = story(carom.World("kinetic", carom.Elastic()))
    first = world.advance(1.5)
    saved = world.snapshot()
    assert set(saved["link"][1:4, 1].tolist()) == {shape.code, carom.Box.code}
    shapes = [world.shape(int(body)) for body in world.bodies]
    restored = carom.World.restore(saved, shapes, broad="all-pairs", response=carom.Elastic())
    whole = story(carom.World("all-pairs", carom.Elastic())).advance(4.0)
    assert len(whole) >= 1
    for rest in (world.advance(4.0), restored.advance(4.0)):
        assert carom.ContactLog.concatenate([first, rest]).identical(whole)
    other = SAMPLES["cone" if name != "cone" else "cylinder"]
    with pytest.raises(carom.InvalidInputError, match="not the one in the snapshot"):
        carom.World.restore(saved, [other if each is shape else each for each in shapes])


@pytest.mark.parametrize("name", IN_WORLDS)
def test_every_shape_is_guided_and_meets_deforming_bodies(name):
    def story(broad):
        world = carom.World(broad)
        cloth, body = world.add(flapping()), world.add(SAMPLES[name], carom.Motion((0.2, 0.3, 3.0), (0.0, 0.0, -2.0)))
        steered = world.add(SAMPLES[name], carom.Guided((4.0, 0.0, 1.5), (-1.0, 0.0, 0.0), 0.1, 2.0))
        log = world.advance(2.0)
        assert {(int(a), int(b)) for a, b in zip(log.a, log.b, strict=True)} & {(cloth, body), (body, steered)}
        return log

    assert story("kinetic-grid").identical(story("all-pairs"))


@pytest.mark.parametrize("name", IN_WORLDS)
def test_every_shape_is_drawn_in_a_replay(name):
    world = carom.World()
    world.add(SAMPLES[name], flight())
    film = Film(world)
    film.advance(0.5)
    replay = film.replay("one")
    assert len(pack_replay(replay)) > 500
    corners = SAMPLES[name].triangles(100)
    centre, radius = SAMPLES[name].bounding_sphere()
    assert len(corners) > 8
    assert (np.linalg.norm(corners - centre, axis=2) <= radius * (1.0 + 1e-9)).all()


@pytest.mark.parametrize("name", IN_WORLDS)
def test_every_shape_is_an_object_of_a_manager(name):
    manager = carom.CollisionManager()
    manager.add_object("it", SAMPLES[name])
    manager.add_object("far", carom.Sphere(0.5), moved(5.0))
    assert not manager.in_collision_internal()
    touching = manager.in_collision_single(carom.Sphere(0.5), moved(0.7), return_names=True)
    assert touching == (True, {"it"})
    expected = carom.distance(SAMPLES[name], carom.Sphere(0.5), None, moved(5.0)).distance
    assert manager.min_distance_internal() == pytest.approx(float(expected))


@pytest.mark.parametrize("name", SAMPLES)
def test_subclass_of_a_shape_answers_as_its_base(name):
    base, mine, other = SAMPLES[name], subclassed(SAMPLES[name]), SAMPLES["box"]
    poses = random_poses(20, 31)
    assert np.array_equal(
        carom.distance(mine, other, None, poses).distance, carom.distance(base, other, None, poses).distance
    )
    assert np.array_equal(
        carom.penetration(other, mine, None, poses).depth, carom.penetration(other, base, None, poses).depth
    )
    assert np.array_equal(carom.collide(mine, other, None, poses).hit, carom.collide(base, other, None, poses).hit)
    for spin in (0.0, 1.0):
        hits = [carom.time_of_impact(shape, other, carom.Motion(), flight(0, spin), 6.0) for shape in (base, mine)]
        assert (hits[0] is None) == (hits[1] is None)
        assert hits[0] is None or hits[0].time == hits[1].time
    rays = np.random.default_rng(3).normal(size=(2, 50, 3)) * 2.0
    assert np.array_equal(carom.ray_cast(mine, *rays).distance, carom.ray_cast(base, *rays).distance)
    if base.parameters:
        (again,) = unpack_shapes(pack_shapes([mine]))
        assert type(again) is type(base)
        assert same(again, base)
    assert np.array_equal(mine.triangles(50), base.triangles(50))
    pieces = carom.Compound([(mine, None)]).pieces
    assert [piece for piece, _ in pieces] == ([mine] if base.parameters else [piece for piece, _ in base.pieces])


def test_shape_that_has_no_core_is_refused_by_name():
    for name in ("mesh", "half-space", "compound"):
        with pytest.raises(carom.errors.UnsupportedPairError, match=f"{type(SAMPLES[name]).__name__} is not convex"):
            core_of(SAMPLES[name])


@pytest.mark.parametrize("name", SAMPLES)
def test_pickled_shape_is_the_same_shape(name):
    again: Shape = pickle.loads(pickle.dumps(SAMPLES[name]))
    assert type(again) is type(SAMPLES[name])
    if again.parameters:
        assert same(again, SAMPLES[name])
