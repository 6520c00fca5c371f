"""What `carom plot` does: draw what a run or a check did, and say what the picture shows."""

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
        """The numbers behind the picture and its path, for JSON."""
        return {**self.account.as_dict(), "picture": self.picture}

    def show(self, console: Console) -> None:
        """One line on the run, one on the picture."""
        account = self.account
        console.print(
            f"{account.title}, {account.begin:g} to {account.end:g} s: {counted(len(account.names), 'body', 'bodies')}, "
            f"{counted(len(account.times), 'contact')}, {figures(account.rate)} a second", soft_wrap=True,
        )  # fmt: skip
        say_files(console, {"picture": self.picture})


def plot(run: Path, out: Path | None) -> Plotted:
    """Draw the run file; `out` defaults to RUN-plot.png beside it. CaromError if it cannot be done."""
    # Not RUN.png: pictures of `run` and `check` are often called so, and nothing is replaced that was not named.
    picture = run.parent / f"{run.stem}-plot.png" if out is None else out
    check_picture(picture)
    return Plotted(draw_plot(run, picture), picture)
