"""Other formats in and out."""

from carom.io.export import export_run

__all__ = ["export_run"]
