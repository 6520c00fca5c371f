"""Shared by all commands: tables and JSON on standard output, progress bars, completion, interrupts, bad streams, and help."""
