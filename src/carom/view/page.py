"""The replay page: one HTML file that contains its code, style and data, and makes no network requests."""

from __future__ import annotations

import base64
import html
import re
from importlib.resources import files
from pathlib import Path

from carom.errors import CaromError
from carom.files.atomic import check_output, refusal, replacing
from carom.view.page_data import pack_replay
from carom.view.replay import Replay


def page_html(replay: Replay) -> str:
    """Return the page as HTML."""
    folder = files("carom.view") / "assets"
    page = (folder / "page.html").read_text(encoding="utf-8")
    parts = {
        "TITLE": html.escape(f"{replay.title} · carom replay"),
        "STYLE": (folder / "page.css").read_text(encoding="utf-8"),
        "DATA": base64.b64encode(pack_replay(replay)).decode("ascii"),
        "CODE": "".join((folder / name).read_text(encoding="utf-8") for name in ("vendor/three.js", "viewer.js")),
    }
    # Split first: a part may contain the text of a placeholder.
    pieces = re.split(r"\{\{([A-Z]+)\}\}", page)
    return "".join(parts[piece] if k % 2 else piece for k, piece in enumerate(pieces))


def check_page(path: Path) -> None:
    """Raise CaromError if a page cannot be written there; called before the work whose results it shows."""
    check_output(path, "page")


def write_page(replay: Replay, path: str | Path) -> int:
    """Write the page to a file, replacing an existing one, and return its size in bytes. CaromError if that fails."""
    data = page_html(replay).encode("utf-8")
    try:
        with replacing(path) as file:
            file.write(data)
    except OSError as error:
        raise CaromError(f"{path}: the page cannot be written: {refusal(error)}") from None
    return len(data)
