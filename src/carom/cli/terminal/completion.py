"""Shell completion of arguments: scenes, animations, benches and the like; shells complete file names themselves."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from carom.cli.play import GAMES
from carom.cli.query import OPERATIONS
from carom.engine.broad_phases import BROAD_PHASES
from carom.queues import METHODS
from carom.scenes import ANIMATIONS, BUILT_IN


def _completing(words: Callable[[], Iterable[str]]) -> Callable[[str], list[str]]:
    def matching(incomplete: str) -> list[str]:
        return [word for word in words() if word.startswith(incomplete)]

    return matching


def _benches() -> list[str]:
    from carom.bench import BENCHES

    return [*BENCHES, "all", "report"]


scenes = _completing(lambda: BUILT_IN)
animations = _completing(lambda: ANIMATIONS)
broad_phases = _completing(lambda: BROAD_PHASES)
queues = _completing(lambda: METHODS)
operations = _completing(lambda: OPERATIONS)
games = _completing(lambda: GAMES)
benches = _completing(_benches)
