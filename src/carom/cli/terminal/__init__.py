"""Shared by all commands: tables and JSON on standard output, completion, interrupts, closed or full streams, and help."""
