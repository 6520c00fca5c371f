"""The replay page: one HTML file with its code, its style and its data, that asks nothing of the network."""

from __future__ import annotations

import base64
import html
import re
from importlib.resources import files
from pathlib import Path

from carom.errors import CaromError
from carom.files.atomic import check_replaceable, refusal, replacing
from carom.view.page_data import pack_replay
from carom.view.replay import Replay


def page_html(replay: Replay) -> str:
    """The whole page."""
    folder = files("carom.view") / "assets"
    page = (folder / "page.html").read_text(encoding="utf-8")
    parts = {
        "TITLE": html.escape(f"{replay.title} · carom replay"),
        "STYLE": (folder / "page.css").read_text(encoding="utf-8"),
        "DATA": base64.b64encode(pack_replay(replay)).decode("ascii"),
        "CODE": (folder / "viewer.js").read_text(encoding="utf-8"),
    }
    # Split first, so that nothing in one part is taken for the place of another.
    pieces = re.split(r"\{\{([A-Z]+)\}\}", page)
    return "".join(parts[piece] if k % 2 else piece for k, piece in enumerate(pieces))


def check_page(path: Path) -> None:
    """CaromError when a page cannot be written there: asked before the work that it is to show."""
    if path.is_dir():
        raise CaromError(f"{path}: is a folder; expected a file name")
    if not path.parent.is_dir():
        raise CaromError(f"{path}: the page cannot be written: there is no folder {path.parent}")
    try:
        check_replaceable(path)
    except OSError as error:
        raise CaromError(f"{path}: the page cannot be written: {refusal(error)}") from None


def write_page(replay: Replay, path: str | Path) -> int:
    """Write the page to a file, over one that is there; returns its size in bytes. CaromError where it cannot be written."""
    data = page_html(replay).encode("utf-8")
    try:
        with replacing(path) as file:
            file.write(data)
    except OSError as error:
        raise CaromError(f"{path}: the page cannot be written: {refusal(error)}") from None
    return len(data)
