"""The numbers behind `carom plot`, and where its graph puts the bodies."""

from __future__ import annotations

import numpy as np
import pytest

import carom
from carom.deform import check
from carom.errors import CaromError, RunFileError
from carom.runfile import CheckFile, Recorder, RunFile
from carom.scenes import scene
from carom.view import check_picture, draw_plot
from carom.view.draw.account import account_of
from carom.view.draw.look import as_text, new_figure
from carom.view.draw.spring_layout import spring_layout
from scenarios.animation_samples import falling, still


def record(path, name="gas", until=1.0, **parameters):
    """Run a scene into a run file; returns its scene."""
    made = scene(name, **parameters)
    world = made.build()
    with RunFile.create(
        path, made.record(), interval=until / 4 or 1.0, world={}, state=world.snapshot(), version=""
    ) as file:
        Recorder(world, file).run(until, until / 4 or 1.0)
    return made


@pytest.fixture
def gas(tmp_path):
    record(tmp_path / "g.duckdb", objects=120, packing=0.1, seed=2)
    return tmp_path / "g.duckdb"


def test_account_counts_are_those_of_the_log(gas):
    found = account_of(gas)
    with RunFile.read(gas) as file:
        log, fixed = file.contacts(), np.isinf(file.scene_record().bodies["mass"])
    assert not found.check
    assert (found.begin, found.end, len(found.names)) == (0.0, 1.0, 126)
    assert found.rate == len(log)
    walls = fixed[log.a] | fixed[log.b]
    assert [rows.sum() for rows in found.parts().values()] == [(~walls).sum(), walls.sum()]
    assert found.counts["contacts"][-1] == len(log)
    assert np.all(np.diff(found.counts["motion_changes"]) >= 0)
    assert found.checkpoints.tolist() == [0.0, 0.25, 0.5, 0.75, 1.0]


def test_account_graph_holds_every_pair_of_moving_bodies_once(gas):
    found = account_of(gas)
    graph = found.graph()
    met = {
        (a, b)
        for a, b in zip(found.a.tolist(), found.b.tolist(), strict=True)
        if not (found.fixed[a] or found.fixed[b])
    }
    assert {tuple(pair) for pair in graph.pairs.tolist()} == met
    assert graph.contacts.sum() == (~(found.fixed[found.a] | found.fixed[found.b])).sum()
    assert all(graph.group_of[a] == graph.group_of[b] for a, b in met)
    assert 0 < graph.groups < len(met)


def test_account_speeds_keep_the_energy_of_a_gas(gas):
    begin, end = account_of(gas).body_speeds
    assert (end**2).sum() == pytest.approx((begin**2).sum(), rel=1e-12)
    assert account_of(gas).thermal


def test_account_of_a_check_counts_pairs_of_bodies(tmp_path):
    bodies = [falling(), still()]
    contacts = check(bodies)
    CheckFile.write(tmp_path / "c.duckdb", bodies, contacts, source={"files": ["a/leaf.npz"]}, version="")
    found = account_of(tmp_path / "c.duckdb")
    assert found.check
    assert found.title == "leaf, floor"
    assert sum(int(rows.sum()) for rows in found.parts().values()) == len(contacts) > 0
    assert found.as_dict()["events_per_second"] == {}


def test_account_of_a_run_without_length_says_how_to_go_on(tmp_path):
    made = scene("billiards")
    state = made.build().snapshot()
    RunFile.create(tmp_path / "b.duckdb", made.record(), interval=1.0, world={}, state=state, version="").close()
    with pytest.raises(RunFileError, match=r"no length.*--resume"):
        account_of(tmp_path / "b.duckdb")


@pytest.mark.parametrize(("name", "until"), [("billiards", 1.0), ("billiards", 0.01), ("gas", 0.2)])
def test_plot_is_a_png_with_many_contacts_few_and_none(tmp_path, name, until):
    record(tmp_path / "r.duckdb", name, until)
    draw_plot(tmp_path / "r.duckdb", tmp_path / "r.png")
    assert (tmp_path / "r.png").read_bytes().startswith(b"\x89PNG")


def test_plot_of_a_check_without_a_contact_is_a_png(tmp_path):
    CheckFile.write(tmp_path / "c.duckdb", [still()], check([still()]), source={}, version="")
    draw_plot(tmp_path / "c.duckdb", tmp_path / "c.png")
    assert (tmp_path / "c.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("name", ["$\\frac$", "\u7403", "_leaf", "a\x1bb", "a\nb"])
def test_plot_draws_names_letter_by_letter(tmp_path, recwarn, name):
    bodies = [falling(name=name), still()]
    CheckFile.write(tmp_path / "c.duckdb", bodies, check(bodies), source={"files": [f"{name}.npz"]}, version="")
    draw_plot(tmp_path / "c.duckdb", tmp_path / "c.png")
    assert (tmp_path / "c.png").read_bytes().startswith(b"\x89PNG")
    assert not recwarn.list


def test_text_of_a_name_is_no_formula_and_is_not_hidden_by_a_legend():
    axes = new_figure(2.0, 2.0, 50).subplots()
    for name in ("$x$", "_x", r"\$"):
        axes.plot([0.0, 1.0], label=as_text(name))
    assert [text.get_text().strip().replace(r"\$", "$") for text in axes.legend().get_texts()] == ["$x$", "_x", r"\$"]
    assert not any(text._preprocess_math(text.get_text())[1] for text in axes.legend().get_texts())


def test_check_picture_refuses_what_cannot_be_written(tmp_path):
    check_picture(tmp_path / "a.svg")
    with pytest.raises(CaromError, match=r"no picture ends in .xyz; expected .png"):
        check_picture(tmp_path / "a.xyz")
    with pytest.raises(CaromError, match="there is no folder"):
        check_picture(tmp_path / "no" / "a.png")


@pytest.mark.parametrize("n", [0, 1, 2, 3, 40])
def test_spring_layout_is_within_the_unit_circle_and_always_the_same(n):
    edges = np.array([(k, k + 1) for k in range(0, n - 1, 2)], dtype=np.int64).reshape(-1, 2)
    at = spring_layout(n, edges)
    assert at.shape == (n, 2)
    assert np.all(np.linalg.norm(at, axis=1) <= 1.0 + 1e-12)
    assert np.array_equal(at, spring_layout(n, edges))
    assert len(np.unique(at.round(6), axis=0)) == n


def test_spring_layout_puts_joined_nodes_nearer_than_others():
    edges = np.array([(k, k + 1) for k in range(0, 40, 2)])
    at = spring_layout(40, edges)
    apart = np.linalg.norm(at[:, None] - at[None], axis=2)
    assert np.linalg.norm(at[edges[:, 0]] - at[edges[:, 1]], axis=1).mean() < 0.3 * apart.mean()


def test_account_names_what_is_no_run(tmp_path):
    (tmp_path / "x.duckdb").write_text("no database")
    with pytest.raises(RunFileError, match="not a run file"):
        account_of(tmp_path / "x.duckdb")
    assert issubclass(RunFileError, carom.CaromError)
