"""Pictures in characters: as large as asked for, ships where they are, and whatever the window does."""

from __future__ import annotations

import curses

import numpy as np
import pytest

from carom.errors import CaromError
from carom.play import Controls, Fleet, Limit, Simulator
from carom.play.screen import Screen, sharp_edges, status
from carom.play.terminal import play_on, require_terminal
from geometry.sphere_tree_samples import mesh, tree


def lit(lines):
    return np.array([[character not in " ⠀" for character in line] for line in lines])


@pytest.mark.parametrize("plain", [False, True])
@pytest.mark.parametrize("size", [(80, 24), (7, 3), (1, 1)])
def test_screen_fills_just_the_window(size, plain):
    lines = Screen(mesh("lamp"), plain=plain).lines(Fleet(10), *size)
    assert [len(line) for line in lines] == [size[0]] * size[1]
    if plain:
        assert set("".join(lines)) <= set(" .#")


def test_screen_of_no_window_is_empty():
    assert Screen(mesh("lamp")).lines(Fleet(2), 0, 10) == []


def test_screen_shows_the_users_ship_in_the_middle_and_others_where_they_are():
    screen, fleet = Screen(mesh("lamp")), Fleet(1)
    fleet.positions[1] = 0.0, 1e6, 0.0
    alone = lit(screen.lines(fleet, 80, 24))
    columns = np.nonzero(alone)[1]
    assert 20 < columns.mean() < 60
    assert alone.sum() > 30
    # Ahead and to the right; y is to the right of a ship that has not turned.
    fleet.positions[1] = -6.0, 6.0, 0.0
    both = lit(screen.lines(fleet, 80, 24))
    assert np.nonzero(both & ~alone)[1].min() > 40
    fleet.positions[1] = 60.0, 0.0, 0.0
    assert np.array_equal(lit(screen.lines(fleet, 80, 24)), alone)


def test_screen_box_has_its_twelve_edges():
    assert len(sharp_edges(mesh("box"))) == 12


def test_status_says_how_exact_the_frame_was():
    simulator = Simulator(tree("lamp"), drones=1, limit=Limit(level=0))
    simulator.fleet.positions[1] = 1.5, 0.0, 0.0
    simulator.fleet.jumped[1] = True
    frame = simulator.frame(Controls())
    assert "level 0, within" in status(simulator, frame)
    assert "collisions 1" in status(simulator, frame)
    assert "exact" in status(simulator, simulator.frame(Controls()))


class Window:
    """As much of a curses window as the game uses: keys come as listed, one list a frame."""

    def __init__(self, keys, size=(24, 80)):
        self._keys = [[*of_frame, -1] for of_frame in keys]
        self._size = size
        self.shown = []

    def getch(self):
        key = self._keys[0].pop(0)
        if not self._keys[0]:
            self._keys.pop(0)
        return key

    def getmaxyx(self):
        return self._size

    def addstr(self, row, column, text):
        if row >= self._size[0] or column + len(text) >= self._size[1] + (row < self._size[0] - 1):
            raise curses.error("outside")
        self.shown[-1].append(text)

    def erase(self):
        self.shown.append([])

    def nodelay(self, wanted): ...

    def keypad(self, wanted): ...

    def refresh(self): ...


@pytest.fixture
def no_cursor(monkeypatch):
    monkeypatch.setattr("carom.play.terminal.with_cursor", lambda shown: None)


def test_terminal_keys_steer_the_ship_until_q(no_cursor):
    simulator = Simulator(tree("lamp"), drones=0)
    window = Window([[ord(" "), curses.KEY_LEFT], [], [ord("q")]])
    frames = play_on(window, simulator, Screen(mesh("lamp")))
    assert len(frames) == 2
    assert np.linalg.norm(simulator.fleet.velocities[0]) > 0.0
    assert simulator.fleet.noses[0, 1] < 0.0
    assert [len(lines) for lines in window.shown] == [24, 24]
    assert "frame 1 " in window.shown[1][-1]


def test_terminal_h_brings_the_ship_home(no_cursor):
    simulator = Simulator(tree("lamp"), drones=0)
    keys = [[ord("w")], *[[]] * 5, [ord("h")], [ord("q")]]
    play_on(Window(keys), simulator, Screen(mesh("lamp")))
    assert np.linalg.norm(simulator.fleet.positions[0]) < 0.01


def test_terminal_that_is_tiny_is_no_error(no_cursor):
    simulator = Simulator(tree("lamp"), drones=1)
    assert len(play_on(Window([[], [ord("q")]], size=(1, 2)), simulator, Screen(mesh("lamp")))) == 1


def test_terminal_that_is_none_is_said_to_be(monkeypatch):
    monkeypatch.setattr("sys.stdin.isatty", lambda: False, raising=False)
    with pytest.raises(CaromError, match="there is no terminal here; play in a terminal, or run without one"):
        require_terminal()
