"""Pictures of runs and checks, which need the `plot` extra, and replays, which need only a browser."""

from carom.view.draw.check_picture import draw_check
from carom.view.draw.look import check_picture
from carom.view.draw.run_picture import draw_run
from carom.view.draw.run_plot import draw_plot
from carom.view.film import Film
from carom.view.page import check_page, page_html, write_page
from carom.view.replay import Contacts, Pieces, Replay
from carom.view.replay_files import replay_check, replay_file
from carom.view.server import PageServer
from carom.view.sphere_trees import check_sphere_trees

__all__ = [
    "Contacts", "Film", "PageServer", "Pieces", "Replay", "check_page", "check_picture", "check_sphere_trees",
    "draw_check", "draw_plot", "draw_run", "page_html", "replay_check", "replay_file", "write_page",
]  # fmt: skip
