"""Pictures of runs; needs the `plot` extra."""

from carom.view.picture import draw_run

__all__ = ["draw_run"]
