"""The game in a terminal, with the standard library's curses."""

from __future__ import annotations

import locale
import sys
from typing import Any

from carom.errors import CaromError
from carom.play.controls import Controls
from carom.play.screen import Screen, status
from carom.play.simulator import Frame, Simulator

HELP = "arrows turn  space thrust  a/d roll  h home  q quit"
_HELD = 8  # Frames for which a key counts as held: a terminal reports when a key is pressed, not when it is released
_KEYS = {" ": "thrust", "w": "thrust", "a": "roll-left", "d": "roll-right"}
_ARROWS = {"KEY_LEFT": "left", "KEY_RIGHT": "right", "KEY_UP": "up", "KEY_DOWN": "down"}


def require_terminal() -> None:
    """Raise CaromError, with an alternative, if there is no terminal."""
    advice = "play in a terminal, or run without one: carom play ships --frames 600, or --script FILE"
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise CaromError(f"there is no terminal here; {advice}")
    try:
        import curses
    except ImportError:
        raise CaromError(f"this Python has no curses; {advice}") from None
    try:
        curses.setupterm()
    except curses.error as error:
        raise CaromError(f"the terminal is of no known type ({error}); {advice}") from None


def play(simulator: Simulator) -> list[Frame]:
    """Play until q is pressed, in this terminal; returns the frames."""
    require_terminal()
    import curses

    locale.setlocale(locale.LC_ALL, "")
    plain = "utf" not in (sys.stdout.encoding or "").lower()
    return curses.wrapper(play_on, simulator, Screen(simulator.tree.mesh, plain=plain))


def play_on(window: Any, simulator: Simulator, screen: Screen) -> list[Frame]:
    """Play in a curses window until q is pressed."""
    import curses

    with_cursor(False)
    window.nodelay(True)
    window.keypad(True)
    named = {getattr(curses, name): word for name, word in _ARROWS.items()}
    named |= {ord(key): word for key, word in _KEYS.items()}
    held: dict[str, int] = {}
    frames: list[Frame] = []
    line = HELP
    while True:
        for key in pressed(window):
            if key == ord("q"):
                return frames
            if key == ord("h"):
                simulator.bring_home()
            elif key in named:
                held[named[key]] = simulator.frames + _HELD
        user = Controls.of(word for word, until in held.items() if until > simulator.frames)

        def draw(now: Simulator, text: str = line) -> None:
            show(window, screen, now, text)

        frames.append(simulator.frame(user, draw))
        line = f"{status(simulator, frames[-1])}   {HELP}"


def show(window: Any, screen: Screen, simulator: Simulator, line: str) -> None:
    """Show the picture and a line of text in a window; in a window that has become smaller it is clipped."""
    import curses

    rows, columns = window.getmaxyx()
    window.erase()
    # The last cell of a window cannot be written: the cursor would leave it.
    for row, text in enumerate([*screen.lines(simulator.fleet, columns, rows - 1), line[: columns - 1]]):
        try:
            window.addstr(row, 0, text)
        except curses.error:
            break
    window.refresh()


def pressed(window: Any) -> list[int]:
    """Return all keys since the last call."""
    keys = []
    while (key := window.getch()) != -1:
        keys.append(key)
    return keys


def with_cursor(shown: bool) -> None:
    """Show or hide the cursor, if the terminal can."""
    import curses

    try:
        curses.curs_set(int(shown))
    except curses.error:
        return
