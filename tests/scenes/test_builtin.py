from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest

from carom.errors import SceneError
from carom.scenes import BUILT_IN, scene
from carom.scenes.scene import with_walls
from carom.shapes import HalfSpace

SMALL = {"rings": {"objects": 40}, "models": {"objects": 10}, "gas": {"objects": 60}, "billiards": {}}


@pytest.mark.parametrize("name", SMALL)
def test_scene_same_seed_same_scene_other_seed_other_scene(name):
    first, again, other = (scene(name, **SMALL[name], seed=seed) for seed in (4, 4, 5))
    for field in ("positions", "velocities", "orientations", "masses"):
        assert np.array_equal(getattr(first, field), getattr(again, field))
    assert not np.array_equal(first.positions, other.positions)


@pytest.mark.parametrize("name", SMALL)
def test_scene_bodies_start_apart_and_inside_the_walls(name):
    made = scene(name, **SMALL[name])
    moving = np.isfinite(made.masses)
    radius = np.array(
        [np.linalg.norm(shape.bounding_sphere()[0]) + shape.bounding_sphere()[1] for shape in made.shapes]
    )
    radius = radius[made.shape_index[moving]]
    centre = made.positions[moving]
    i, j = np.triu_indices(len(radius), 1)
    assert (np.linalg.norm(centre[i] - centre[j], axis=1) > 0.98 * (radius[i] + radius[j])).all()
    for shape in made.shapes:
        if isinstance(shape, HalfSpace):
            assert (centre @ shape.normal - shape.offset > 0.98 * radius).all()


def test_rings_speeds_sizes_and_density_are_those_of_the_paper():
    made = scene("rings", objects=2000)
    speed = np.linalg.norm(made.velocities[:2000], axis=1)
    size = np.cbrt(made.masses[:2000])
    side = -made.shapes[-1].offset
    assert speed.min() >= 0.5
    assert speed.max() <= 1.5
    assert size.min() >= 0.5
    assert size.max() <= 1.5
    assert size.mean() == pytest.approx(1.0, abs=0.02)
    assert 4.0 / 3.0 * math.pi * np.sum(size**3) / side**3 == pytest.approx(0.01, rel=1e-9)
    assert all(len(shape.faces) == 64 for shape in made.shapes[:2000])


def test_rings_have_six_immovable_walls():
    made = scene("rings", objects=5)
    assert np.isinf(made.masses).sum() == 6
    assert made.names[-6:] == ("wall -x", "wall +x", "wall -y", "wall +y", "wall -z", "wall +z")


def test_gas_speeds_are_maxwell():
    made = scene("gas", objects=5000, packing=0.01)
    assert (made.velocities[:5000] ** 2).mean() == pytest.approx(1.0, abs=0.03)


@pytest.mark.parametrize("packing", [0.001, 0.1, 0.25, 0.5])
def test_gas_packing_is_what_was_asked_for(packing):
    made = scene("gas", objects=400, packing=packing)
    side = -made.shapes[-1].offset
    assert 400 * 4.0 / 3.0 * math.pi / side**3 == pytest.approx(packing, rel=1e-12)


def test_gas_infeasible_packing_is_refused_with_what_is_feasible():
    with pytest.raises(SceneError, match=r"packing is 0\.5; expected at most 0\.\d+, where 50 spheres"):
        scene("gas", objects=50, packing=0.5)


def test_billiards_rack_is_flat_and_only_the_cue_ball_moves():
    made = scene("billiards", speed=3.0)
    assert (made.positions[:16, 2] == 0.0).all()
    assert made.velocities[0].tolist() == [3.0, 0.0, 0.0]
    assert not made.velocities[1:].any()
    assert made.names[0] == "cue"


@pytest.mark.parametrize(
    ("name", "parameters", "message"),
    [
        ("ring", {}, "no scene is called 'ring'.*did you mean rings"),
        ("rings", {"objects": 0}, "objects is 0; expected a whole number from 1"),
        ("rings", {"objects": 2.5}, "objects is 2.5; expected a whole number"),
        ("rings", {"objects": True}, "objects is True"),
        ("rings", {"density": math.nan}, "density is nan; expected a number from 1e-09 to 0.2"),
        ("rings", {"density": -0.1}, "density is -0.1"),
        ("rings", {"packing": 0.1}, "no parameter 'packing'; expected objects, density, seed"),
        ("gas", {"packing": 0.9}, "packing is 0.9; expected a number from 0.001 to 0.5"),
        ("gas", {"packing": "much"}, "packing is 'much'"),
        ("billiards", {"speed": math.inf}, "speed is inf"),
        ("gas", {"seed": -1}, "seed is -1"),
    ],
)
def test_scene_bad_parameters_are_refused(name, parameters, message):
    with pytest.raises(SceneError, match=message):
        scene(name, **parameters)


def test_registry_defaults_lie_in_their_ranges():
    for built_in in BUILT_IN.values():
        for key, span in built_in.ranges.items():
            assert span.lowest <= built_in.default(key) <= span.highest
        assert built_in.summary


def test_with_walls_refuses_an_inverted_box():
    made = scene("billiards")
    with pytest.raises(SceneError, match=r"upper y is -1\.0; expected lower < upper"):
        with_walls(made, [0, 0, 0], [1, -1, 1])


def test_scene_build_gives_the_ids_positions_and_names_of_the_scene():
    for made in (scene("gas", objects=30), scene("billiards")):
        world = made.build()
        assert np.array_equal(world.bodies, np.arange(len(made)))
        assert np.array_equal(world.positions(), made.positions)
        assert np.array_equal(world.velocities(), made.velocities)
        assert np.allclose(world.masses, made.masses, rtol=1e-15)
        assert world.name(len(made) - 1) == made.names[-1]
        assert all(world.shape(k) is made.shapes[made.shape_index[k]] for k in range(len(made)))


@pytest.mark.parametrize(("name", "n_batches"), [("gas", 7), ("billiards", 5), ("rings", 1), ("models", 16)])
def test_scene_batches_cover_every_row_once_with_its_shape(name, n_batches):
    made = scene(name, **SMALL[name])
    batches = list(made._batches())
    assert len(batches) == n_batches
    assert [k for rows, _ in batches for k in range(rows.start, rows.stop)] == list(range(len(made)))
    for rows, shapes in batches:
        each = shapes if isinstance(shapes, list) else [shapes] * (rows.stop - rows.start)
        assert all(s is made.shapes[k] for s, k in zip(each, made.shape_index[rows], strict=True))


def test_scene_build_options_override_those_of_the_scene():
    made = dataclasses.replace(scene("billiards"), world={"broad": "all-pairs"})
    assert made.build().broad == "all-pairs"
    assert made.build(broad="kinetic").broad == "kinetic"


def test_scene_record_round_trips():
    made = scene("rings", objects=6)
    again = type(made).from_record(made.record())
    for field in dataclasses.fields(made):
        before, after = getattr(made, field.name), getattr(again, field.name)
        assert np.array_equal(before, after) if isinstance(before, np.ndarray) else before == after


def test_scene_counts_its_half_spaces():
    rings = scene("rings", objects=3)
    assert rings.half_spaces == len(rings) - 3
