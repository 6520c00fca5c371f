"""The replay page in a real browser: it loads, plays, seeks, picks and jumps, and bodies are where carom says they are."""

from __future__ import annotations

import dataclasses
import http.client
import threading

import numpy as np
import pytest

import carom
from carom.deform import check
from carom.view import Film, PageServer, page_html, replay_check, write_page
from chromium import Chromium, chromium_or_skip
from scenarios.replay_samples import flapping, lively_world

END = 4.0


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    chromium_or_skip()
    with Chromium(tmp_path_factory.mktemp("profile")) as running:
        yield running


@pytest.fixture(scope="module")
def lively():
    film = Film(lively_world())
    film.advance(END)
    replay = film.replay("lively")
    row = int(replay.shape_index[8])
    levels = [np.array([(0.0, 0.0, 0.0, 0.3)]), np.array([(0.1, 0.0, 0.0, 0.2), (-0.1, 0.0, 0.0, 0.2)])]
    return dataclasses.replace(replay, sphere_levels={row: levels}, sphere_scales={row: 2.0})


@pytest.fixture(scope="module")
def page(browser, lively, tmp_path_factory):
    """The page as a file, opened once for this module; every test leaves it clear."""
    path = tmp_path_factory.mktemp("page") / "lively.html"
    write_page(lively, path)
    return browser.open(path.as_uri())


@pytest.fixture
def tab(page):
    yield page
    page.evaluate(
        "carom.state.playing = false; carom.clear(); carom.seek(0); carom.setBoxes(false); carom.setLevel(-1)"
    )
    assert page.errors() == []


def floats(tab, expression):
    """A Float64Array of the page, bit for bit."""
    text = tab.evaluate(
        f"Array.from(new Uint8Array(Float64Array.from({expression}).buffer), b => b.toString(16).padStart(2, '0')).join('')"
    )
    return np.frombuffer(bytes.fromhex(text), "<f8")


def test_page_asks_for_nothing_but_itself(tab):
    requests = tab.requests()
    assert len(requests) == 1
    assert requests[0].endswith("lively.html")
    assert tab.evaluate("document.title") == "lively · carom replay"


def test_page_positions_are_those_of_carom_to_the_last_bit(tab):
    world = lively_world()
    both = "[...carom.view.motions.position, ...carom.view.motions.orientation]"
    for t in np.sort(np.random.default_rng(3).uniform(0.0, END, 40)):
        world.advance(float(t))
        found = floats(tab, f"(carom.view.motions.evaluate({float(t)!r}), {both})")
        split = 3 * len(world)
        assert np.array_equal(found[:split].reshape(-1, 3), world.positions())
        # Sines may differ by a bit from library to library.
        assert np.abs(found[split:].reshape(-1, 4) - world.orientations()).max() < 1e-15


def test_page_pieces_are_found_in_any_order_of_times(tab):
    times = np.random.default_rng(4).uniform(0.0, END, 30).tolist()
    there = [floats(tab, f"(carom.view.motions.evaluate({t!r}), carom.view.motions.position)") for t in times]
    back = [floats(tab, f"(carom.view.motions.evaluate({t!r}), carom.view.motions.position)") for t in reversed(times)]
    assert np.array_equal(there, back[::-1])


def test_page_plays_and_pauses(tab):
    assert tab.evaluate("document.getElementById('play').textContent") == "▶"
    tab.click_on("#play")
    tab.wait("carom.state.t > 0.05")
    tab.click_on("#play")
    moment = tab.evaluate("carom.state.t")
    assert tab.evaluate("carom.state.playing") is False
    tab.settle()
    assert tab.evaluate("carom.state.t") == moment
    assert tab.evaluate("document.getElementById('time').textContent") == f"{moment:.6f} s"


def test_page_plays_at_the_chosen_speed_and_stops_at_the_end(tab):
    tab.evaluate(f"carom.seek({END - 1e-3})")
    tab.evaluate(
        "const choice = document.getElementById('speed'); choice.value = 100; choice.dispatchEvent(new Event('change'))"
    )
    assert tab.evaluate("carom.state.speed") == 100
    tab.press(" ")
    tab.wait("!carom.state.playing")
    assert tab.evaluate("carom.state.t") == END
    tab.evaluate("carom.setSpeed(1)")


def test_page_steps_from_contact_to_contact(tab, lively):
    times = lively.contacts.times
    for k in range(4):
        tab.press("ArrowRight")
        assert tab.evaluate("[carom.state.contact, carom.state.t]") == [k, times[k]]
    tab.press("ArrowLeft")
    assert tab.evaluate("carom.state.contact") == 2
    tab.click_on("#next")
    assert tab.evaluate("carom.state.contact") == 3
    tab.evaluate(f"carom.clear(); carom.seek({(times[5] + times[6]) / 2})")
    tab.click_on("#previous")
    assert tab.evaluate("carom.state.contact") == 5


def test_page_timeline_seeks_and_opens_marks(tab, lively):
    box = tab.evaluate(
        "(({x, y, width, height}) => [x, y, width, height])(carom.timeline.canvas.getBoundingClientRect())"
    )
    tab.click(box[0] + 10 + 0.25 * (box[2] - 20), box[1] + box[3] - 4)
    assert tab.evaluate("carom.state.t") == pytest.approx(0.25 * END, abs=0.01)
    assert tab.evaluate("carom.state.contact") == -1
    tab.click(box[0] + tab.evaluate("carom.timeline.x(carom.contacts.time[3])"), box[1] + 20)
    assert tab.evaluate("carom.state.t") in lively.contacts.times
    assert abs(tab.evaluate("carom.state.t") - lively.contacts.times[3]) < 0.02


def test_page_jumps_to_a_contact_of_the_list_and_says_all_about_it(tab, lively):
    contacts = lively.contacts
    tab.click_on("#list [data-row='2']")
    assert tab.evaluate("[carom.state.contact, carom.state.t]") == [2, contacts.times[2]]
    words = tab.evaluate("document.getElementById('details').innerText")
    assert f"Contact 3 of {len(contacts)}" in words
    assert f"{contacts.times[2]:.15g} s" in words
    for body in (contacts.a[2], contacts.b[2]):
        assert lively.names[body] in words
    assert contacts.words[contacts.kinds[2]] in words
    assert tab.evaluate("document.querySelector('.row.shown').dataset.row") == "2"
    # The camera looks at the point, and all bodies but the two are dim.
    tab.settle()
    assert floats(tab, "carom.view.space.origin").tolist() == contacts.points[2].tolist()
    assert tab.evaluate("carom.view.stage.controls.target.length()") < 1e-9
    assert tab.evaluate("carom.view.rigid.material.opacity") < 0.5
    assert tab.evaluate("carom.view.marker.group.visible") is True
    lit = {body for body in (contacts.a[2], contacts.b[2]) if not lively.names[body].startswith("wall")}
    assert set(tab.evaluate("[...carom.view.rigid.lit.keys()]")) == lit
    tab.press("Escape")
    tab.settle()
    assert tab.evaluate(
        "[carom.state.contact, carom.view.rigid.material.opacity, carom.view.marker.group.visible]"
    ) == [-1, 1, False]


def test_page_pick_shows_only_the_contacts_of_that_body(tab, lively):
    ball = lively.names.index("ball")
    tab.evaluate("carom.fit()")
    tab.settle()
    x, y = tab.evaluate(f"carom.view.pixelOf({ball})")
    tab.click(x, y)
    assert tab.evaluate("carom.state.body") == ball
    expected = np.flatnonzero((lively.contacts.a == ball) | (lively.contacts.b == ball)).tolist()
    assert 0 < len(expected) < len(lively.contacts)
    assert tab.evaluate("[...carom.contacts.rows]") == expected
    assert f"{len(expected)} contacts of ball" in tab.evaluate("document.getElementById('selection').textContent")
    tab.evaluate("carom.seek(0)")
    tab.press("ArrowRight")
    assert tab.evaluate("carom.state.contact") == expected[0]
    assert tab.evaluate("carom.view.trail.line.visible") is True
    tab.click_on("#all")
    assert tab.evaluate("carom.contacts.rows.length") == len(lively.contacts)


def test_page_boxes_hold_the_bodies(tab, lively):
    tab.click_on("#boxes")
    tab.settle()
    # Of the turning box: the sphere's box; of a resting ball: its own.
    for name, reach in (("ball", 0.5), ("body 8", float(np.linalg.norm((0.4, 0.3, 0.2))))):
        body = lively.names.index(name)
        box = np.array(tab.evaluate(f"carom.view.boxes.box({body}, carom.state.t)")).reshape(2, 3)
        assert np.abs((box[1] - box[0]) / 2.0 - reach).max() < 0.03 * reach
    drawn = tab.evaluate("carom.view.boxes.lines.geometry.drawRange.count")
    assert drawn == 24 * (len(lively) - 6)
    tab.click_on("#boxes")


def test_page_shows_levels_of_sphere_trees(tab):
    assert tab.evaluate("document.getElementById('level-choice').hidden") is False
    for level, count in ((0, 1), (1, 2)):
        tab.evaluate(f"carom.setLevel({level})")
        tab.settle()
        assert tab.evaluate("carom.view.levels.mesh.count") == count


def test_page_spheres_of_sphere_trees_move_with_their_bodies(tab):
    tab.evaluate("carom.seek(1.25); carom.setLevel(1)")
    tab.settle()
    read = "carom.view.levels.mesh.instanceMatrix.array.slice(0, 32)"
    found = np.array(list(tab.evaluate(f"Array.from({read})"))).reshape(2, 4, 4)
    body = np.array(tab.evaluate("carom.view.rigid.matrixOf(8).elements")).reshape(4, 4)
    for sphere, x in zip(found, (0.2, -0.2), strict=True):
        assert np.abs(sphere[3, :3] - (body[3, :3] + x * body[0, :3])).max() < 1e-6
        assert np.linalg.norm(sphere[0, :3]) == pytest.approx(0.4, abs=1e-6)


def test_page_dims_the_sphere_trees_of_other_bodies(tab, lively):
    tab.evaluate("carom.setLevel(1)")
    for body, count in ((8, 2), (6, 0)):
        tab.evaluate(f"carom.pick({body})")
        tab.settle()
        assert tab.evaluate("carom.view.levels.mesh.count") == count
    tab.evaluate("carom.setDim(false)")
    tab.settle()
    assert tab.evaluate("carom.view.levels.mesh.count") == 2
    tab.evaluate("carom.setDim(true)")


def test_page_does_not_offer_a_level_of_too_many_spheres(browser, lively, tmp_path):
    row = int(lively.shape_index[8])
    (one, two), many = lively.sphere_levels[row], np.tile((0.1, 0.0, 0.0, 0.2), (160_000, 1))
    write_page(dataclasses.replace(lively, sphere_levels={row: [one, two, many]}), tmp_path / "many.html")
    tab = browser.open((tmp_path / "many.html").as_uri() + "#level=2")
    options = "Array.from(document.getElementById('level').options, option => [option.text, option.disabled])"
    assert tab.evaluate(options) == [
        ["off", False], ["level 0: 1 sphere", False], ["level 1: 2 spheres", False], ["level 2: 160,000 spheres", True],
    ]  # fmt: skip
    assert tab.evaluate("carom.view.levels.level") == -1
    assert tab.errors() == []


@pytest.mark.parametrize(("asked", "level"), [("1", 1), ("-1", -1), ("7", -1), ("x", -1)])
def test_page_address_chooses_a_level_that_there_is(browser, lively, tmp_path, asked, level):
    write_page(lively, tmp_path / "lively.html")
    tab = browser.open((tmp_path / "lively.html").as_uri() + f"#level={asked}")
    assert tab.evaluate("carom.view.levels.level") == level
    assert tab.evaluate("document.getElementById('level').value") == str(level)
    assert tab.errors() == []


def test_page_draws_something(tab, tmp_path):
    read = """(() => { carom.refresh(); carom.view.draw(carom.state, 0); const gl = carom.view.stage.renderer.getContext();
      const pixels = new Uint8Array(4 * gl.drawingBufferWidth * gl.drawingBufferHeight);
      gl.readPixels(0, 0, gl.drawingBufferWidth, gl.drawingBufferHeight, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
      return new Set(new Uint32Array(pixels.buffer)).size; })()"""
    assert tab.evaluate(read) > 100


def test_page_deforming_bodies_are_those_of_carom_to_the_last_bit(browser, tmp_path):
    flat = np.array([(-0.5, -0.5, 0.2), (0.5, -0.5, 0.2), (0.5, 0.5, 0.2)])
    bodies = [flapping(), carom.Deforming([(0, 1, 2)], [0.0, 2.0], [flat, flat], name="floor")]
    found = check(bodies)
    write_page(replay_check("flap", bodies, found), tmp_path / "flap.html")
    tab = browser.open((tmp_path / "flap.html").as_uri() + "#contact=1")
    for t in (-1.0, 0.0, 0.123456, 0.7, 0.9, 1.99, 2.0, 3.0):
        for k, body in enumerate(bodies):
            keys = f"carom.view.surfaces.meshes.get({k}).keys"
            drawn = floats(tab, f"({keys}.evaluate({t}), {keys}.position)")
            assert np.array_equal(drawn.reshape(-1, 3), body.vertices_at(t))
            box = np.array(tab.evaluate(f"{keys}.boxAt({t})")).reshape(2, 3)
            assert (drawn.reshape(-1, 3) >= box[0] - 1e-12).all()
            assert (drawn.reshape(-1, 3) <= box[1] + 1e-12).all()
    assert tab.evaluate("[carom.state.contact, carom.state.t]") == [0, found.times[0]]
    assert tab.evaluate("carom.view.marker.triangles.map(one => one.visible)") == [True, True]
    assert found[0].kind in tab.evaluate("document.getElementById('details').innerText")
    assert tab.errors() == []


def test_page_of_a_periodic_world_shows_the_nearest_images(browser, tmp_path):
    world = carom.World(response=carom.Elastic(), periodic=(4.0, 4.0, 4.0))
    world.add(carom.Sphere(0.5), carom.Motion((3.5, 0.0, 0.0), (1.0, 0.0, 0.0)))
    world.add(carom.Sphere(0.5), carom.Motion((1.5, 0.0, 0.0), (-1.0, 0.0, 0.0)))
    film = Film(world)
    assert len(film.advance(1.0)) == 1
    write_page(film.replay("torus"), tmp_path / "torus.html")
    tab = browser.open((tmp_path / "torus.html").as_uri() + "#contact=1")
    tab.settle()
    drawn = [tab.evaluate(f"carom.view.rigid.matrixOf({k}).elements.slice(12, 15)") for k in range(2)]
    assert np.linalg.norm(np.subtract(*drawn)) == pytest.approx(1.0, abs=1e-9)
    assert tab.errors() == []


def test_page_without_contacts_says_so(browser, tmp_path):
    world = carom.World()
    world.add(carom.Sphere(1.0), carom.Motion(velocity=(1.0, 0.0, 0.0)), name="<img src=x onerror=alert(1)>")
    film = Film(world)
    film.advance(1.0)
    write_page(film.replay("</script><script>alert(1)</script>"), tmp_path / "alone.html")
    tab = browser.open((tmp_path / "alone.html").as_uri())
    assert tab.evaluate("document.getElementById('none').hidden") is False
    assert tab.evaluate("document.getElementById('title').textContent") == "</script><script>alert(1)</script>"
    tab.evaluate("carom.pick(0)")
    assert "<img" in tab.evaluate("document.getElementById('selection').textContent")
    tab.press("ArrowRight")
    assert len(tab.requests()) == 1
    assert tab.errors() == []


def test_page_from_the_server_is_the_same_page(browser, lively):
    with PageServer(page_html(lively)) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        tab = browser.open(server.url)
        assert tab.evaluate("carom.contacts.count") == len(lively.contacts)
        assert tab.requests() == [server.url]
        assert tab.errors() == []
        connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=10)
        connection.request("GET", "/")
        assert connection.getresponse().status == 404
        connection.close()
        server.shutdown()
        thread.join()


def test_page_without_webgl_says_so_and_still_lists_contacts(tmp_path, lively):
    chromium_or_skip()
    write_page(lively, tmp_path / "page.html")
    with Chromium(tmp_path / "profile", "--disable-3d-apis") as plain:
        tab = plain.open((tmp_path / "page.html").as_uri())
        assert "does not offer WebGL" in tab.evaluate("document.getElementById('sorry').innerText")
        assert tab.evaluate("document.getElementById('sorry').hidden") is False
        tab.click_on("#list [data-row='1']")
        assert tab.evaluate("carom.state.contact") == 1
        assert "Contact 2" in tab.evaluate("document.getElementById('details').innerText")
        tab.settle()
        assert tab.errors() == []
