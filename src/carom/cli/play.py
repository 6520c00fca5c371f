"""`carom play`: fly in a terminal, or run a script without one, and summarise the frames."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

from carom import validate
from carom.cli.terminal.output import rows_table, working
from carom.errors import InvalidInputError
from carom.play.controls import MOST_FRAMES, Controls, read_script
from carom.play.detection import Limit
from carom.play.screen import Screen
from carom.play.ship_shape import ship_tree
from carom.play.simulator import Frame, Simulator
from carom.play.terminal import play, require_terminal

GAMES = ("ships",)


@dataclass(frozen=True)
class PlayRequest:
    """The options of `carom play`, with the target in ms; None for options that were not given."""

    game: str
    frames: int | None = None
    script: Path | None = None
    seed: int = 0
    drones: int = 10
    target: float = 1000.0 / 30.0
    method: str = "bounds"
    steps: int | None = None
    level: int | None = None
    last_frame: bool = False


@dataclass(frozen=True)
class PlaySummary:
    """All frames, and the last picture if requested."""

    simulator: Simulator
    frames: list[Frame]
    picture: list[str]

    def as_dict(self) -> dict[str, Any]:
        """Return plain values for JSON. If detection ends by steps or a level, only `timing` differs between runs."""
        frames = self.frames
        contacts = [[frame.number, *pair] for frame in frames for pair in frame.contacts]
        fleet = self.simulator.fleet
        return {
            "method": self.simulator.method,
            "frames": len(frames),
            "simulated_seconds": fleet.time,
            "contacts": contacts,
            "positions": fleet.positions.tolist(),
            "exact_frames": sum(frame.exact for frame in frames),
            "error_bound": [frame.error_bound for frame in frames],
            "level": [frame.level for frame in frames],
            "timing": {
                "target_ms": 1e3 * self.simulator.target,
                "detection_ms": [1e3 * frame.detection for frame in frames],
                "other_ms": [1e3 * frame.other for frame in frames],
                "slack_ms": [1e3 * frame.slack for frame in frames],
            },
        }

    def show(self, console: Console) -> None:
        """Print the picture and a table of the times of frames."""
        for line in self.picture:
            console.print(line, no_wrap=True)
        frames = self.frames
        contacts = sum(len(frame.contacts) for frame in frames)
        console.print(f"{len(frames)} frames; collisions: {contacts}", highlight=False)
        if not frames:
            return
        table = rows_table("what a frame took")
        table.add_column()
        for heading in ("median", "99 of 100", "most"):
            table.add_column(heading, justify="right")
        for name, values in (
            ("detection, ms", [1e3 * frame.detection for frame in frames]),
            ("all else, ms", [1e3 * frame.other for frame in frames]),
            ("slack, ms", [1e3 * frame.slack for frame in frames]),
            ("error bound, m", [frame.error_bound for frame in frames]),
        ):
            median, most = np.percentile(values, (50.0, 99.0))
            table.add_row(name, f"{median:.3f}", f"{most:.3f}", f"{max(values):.3f}")
        console.print(table)
        on_time = sum(frame.seconds <= self.simulator.target for frame in frames)
        exact = sum(frame.exact for frame in frames)
        console.print(
            f"{on_time} frames kept to {1e3 * self.simulator.target:.1f} ms; {exact} were exact", highlight=False
        )


def execute(request: PlayRequest, console: Console) -> PlaySummary:
    """Run the command. Without frames or a script it uses the terminal."""
    if request.game not in GAMES:
        raise InvalidInputError(validate.unknown_name("game", request.game, GAMES))
    script = read_script(request.script) if request.script is not None else []
    headless = request.frames is not None or request.script is not None
    if request.frames is not None and not 0 <= request.frames <= MOST_FRAMES:
        raise InvalidInputError(f"--frames is {request.frames}; expected 0 to {MOST_FRAMES:,}")
    if not headless:
        require_terminal()
    limit = None
    if request.steps is not None or request.level is not None:
        limit = Limit(steps=request.steps, level=request.level)
    with working(console, "building the sphere-tree of a ship"):
        tree = ship_tree()
    simulator = Simulator(
        tree, drones=request.drones, seed=request.seed, method=request.method, target=1e-3 * request.target,
        limit=limit, realtime=not headless,
    )  # fmt: skip
    if not headless:
        return PlaySummary(simulator, play(simulator), [])
    count = len(script) if request.frames is None else request.frames
    frames = [simulator.frame(script[k] if k < len(script) else Controls()) for k in range(count)]
    picture = Screen(tree.mesh).lines(simulator.fleet, _COLUMNS, _ROWS) if request.last_frame else []
    return PlaySummary(simulator, frames, picture)


_COLUMNS, _ROWS = 80, 24  # Size of a picture without a terminal, characters
