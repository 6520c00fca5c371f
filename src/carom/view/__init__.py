"""Pictures of runs and checks, which need the `plot` extra, and their replays, which need only a browser."""

from carom.view.check_picture import draw_check
from carom.view.film import Film
from carom.view.page import page_html, write_page
from carom.view.picture import draw_run
from carom.view.replay import Contacts, Pieces, Replay
from carom.view.replay_files import replay_check, replay_file
from carom.view.server import PageServer

__all__ = [
    "Contacts", "Film", "PageServer", "Pieces", "Replay", "draw_check", "draw_run", "page_html", "replay_check",
    "replay_file", "write_page",
]  # fmt: skip
