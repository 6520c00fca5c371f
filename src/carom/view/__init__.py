"""Pictures of runs and checks; needs the `plot` extra."""

from carom.view.check_picture import draw_check
from carom.view.picture import draw_run

__all__ = ["draw_check", "draw_run"]
