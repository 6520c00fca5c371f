"""`carom warm-up`: compile ahead of time."""

from __future__ import annotations

import dataclasses
import time
from typing import Any

from rich.console import Console

from carom._compile.kernel_cache import place
from carom.cli.terminal.progress import part_bar
from carom.warming import warm_up


@dataclasses.dataclass(frozen=True)
class Warmed:
    """Seconds of each part, by name."""

    parts: dict[str, float]

    def as_dict(self) -> dict[str, Any]:
        """Return all of it, for JSON."""
        return {"seconds": sum(self.parts.values()), "parts": self.parts, "kernel_cache": str(place().folder)}

    def show(self, console: Console) -> None:
        """Print the time it took and the folder of the kernels."""
        seconds = sum(self.parts.values())
        console.print(f"{len(self.parts)} parts ready in {seconds:.1f} s; later starts reuse them", soft_wrap=True)
        console.print(f"kernel cache: {place().folder}", soft_wrap=True)


def warm(console: Console, *, everything: bool) -> Warmed:
    """Compile, with a progress bar on a terminal and one line per part elsewhere."""
    begun: dict[str, float] = {}
    with part_bar(console) as show:

        def on_part(name: str, done: int, total: int) -> None:
            begun[name] = time.perf_counter()
            show(name, done, total)

        warm_up(everything=everything, on_part=on_part)
    ends = [*list(begun.values())[1:], time.perf_counter()]
    return Warmed({name: end - begin for (name, begin), end in zip(begun.items(), ends, strict=True)})
