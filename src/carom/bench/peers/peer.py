"""What the bench asks of another library."""

from __future__ import annotations

from typing import ClassVar, Protocol

from carom.bench.peers.replay import Replay

Sighting = tuple[int, int, int]
"""Frame, lower and higher body index: the library says that the two overlap (or begin to) in that frame."""


class Peer(Protocol):
    """A library set up for one replay. The constructor is not timed; `run` is, once."""

    name: ClassVar[str]
    package: ClassVar[str]
    """distribution name, for its version"""
    module: ClassVar[str]
    """import name"""
    how: ClassVar[str]
    """one line: which of its methods, and what is outside the clock"""
    slack: ClassVar[int]
    """frames by which a sighting may be early or late because of the library's own arithmetic and order of work"""

    def __init__(self, replay: Replay) -> None: ...

    def run(self) -> list[Sighting]:
        """All frames after the start; everything that overlaps."""
        ...
