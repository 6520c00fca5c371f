"""Words that a shell may complete: scenes, animations, benches and the like; files complete by themselves."""

from __future__ import annotations

from collections.abc import Iterable

from carom.cli.play import GAMES
from carom.cli.query import OPERATIONS
from carom.engine.broad_phase_choice import BROAD_PHASES
from carom.queues import METHODS
from carom.scenes import ANIMATIONS, BUILT_IN


def _beginning(words: Iterable[str], typed: str) -> list[str]:
    return [word for word in words if word.startswith(typed)]


def scenes(incomplete: str) -> list[str]:
    """Built-in scenes."""
    return _beginning(BUILT_IN, incomplete)


def animations(incomplete: str) -> list[str]:
    """Built-in animations."""
    return _beginning(ANIMATIONS, incomplete)


def broad_phases(incomplete: str) -> list[str]:
    """Broad phases by name."""
    return _beginning(BROAD_PHASES, incomplete)


def queues(incomplete: str) -> list[str]:
    """Event queues by name."""
    return _beginning(METHODS, incomplete)


def operations(incomplete: str) -> list[str]:
    """Questions about two shapes."""
    return _beginning(OPERATIONS, incomplete)


def games(incomplete: str) -> list[str]:
    """Games by name."""
    return _beginning(GAMES, incomplete)


def benches(incomplete: str) -> list[str]:
    """Benches by name, and what is done with all of them."""
    from carom.bench import BENCHES

    return _beginning([*BENCHES, "all", "report"], incomplete)
