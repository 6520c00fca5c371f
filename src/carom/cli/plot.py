"""`carom plot`: draw the statistics of a run or check."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

from rich.console import Console

from carom.cli.terminal.output import say_files
from carom.validate import counted
from carom.view import check_picture, draw_plot
from carom.view.draw.account import Account
from carom.view.draw.look import figures


@dataclasses.dataclass(frozen=True)
class Plotted:
    """A picture and the numbers that it shows."""

    account: Account
    picture: Path

    def as_dict(self) -> dict[str, Any]:
        """Return the plotted numbers and the path of the picture, for JSON."""
        return {**self.account.as_dict(), "picture": self.picture}

    def show(self, console: Console) -> None:
        """Print one line about the run and one about the picture."""
        account = self.account
        console.print(
            f"{account.title}, {account.begin:g} to {account.end:g} s: {counted(len(account.names), 'body', 'bodies')}, "
            f"{counted(len(account.times), 'contact')}, {figures(account.rate)} per second", soft_wrap=True,
        )  # fmt: skip
        say_files(console, {"picture": self.picture})


def plot(run: Path, out: Path | None) -> Plotted:
    """Draw the run file; `out` is by default RUN-plot.png beside it. CaromError if it cannot be done."""
    # Not RUN.png, which is a common name for pictures of `run` and `check`: an existing picture must not be replaced unasked.
    picture = run.parent / f"{run.stem}-plot.png" if out is None else out
    check_picture(picture)
    return Plotted(draw_plot(run, picture), picture)
