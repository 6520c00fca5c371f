"""The command line."""

from carom.cli.app import app, main

__all__ = ["app", "main"]
