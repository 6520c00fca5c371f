"""The command `carom`: its subcommands and the handling of errors."""

from __future__ import annotations

import sys
from importlib.metadata import version
from typing import Annotated

import typer

from carom.cli.commands import find, results, upkeep
from carom.cli.terminal import story
from carom.cli.terminal.interrupts import INTERRUPTS, Interrupted
from carom.cli.terminal.output import say_error
from carom.cli.terminal.streams import OutputClosed, in_words, prepare_output, silence_output
from carom.errors import CaromError

app = typer.Typer(
    name="carom",
    cls=story.Story,
    help="When and where do moving things first touch? Exact, event-driven collision detection.",
    epilog="Start with `carom run rings`, then `carom view rings.duckdb`. Each command has its own --help.",
    invoke_without_command=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

for heading, commands in (
    (story.START, (find.run, find.check, find.scenes)),
    (story.LOOK, (results.view, results.plot, results.export)),
    (story.ASK, (results.query,)),
    (story.START, (find.play,)),
    (story.MEASURE, (upkeep.bench,)),
    (story.CARE, (upkeep.doctor, upkeep.warm_up)),
):
    for command in commands:
        app.command(command.__name__.replace("_", "-"), rich_help_panel=heading)(command)


def main() -> None:
    """Run the command line. An error is one message on stderr and exit status 2, Ctrl-C is status 130.

    The status is 141 if the output is closed, as shells report it for other programs.
    """
    prepare_output()
    try:
        with INTERRUPTS.watched():
            status = story.tell(app)
        sys.stdout.flush()
    except (OutputClosed, BrokenPipeError):
        silence_output()
        sys.exit(141)
    except (CaromError, OSError, MemoryError, RecursionError) as error:
        say_error(in_words(error))
        silence_output()
        sys.exit(2)
    except (Interrupted, KeyboardInterrupt) as stop:
        say_error(str(stop) or "interrupted", below=sys.stderr.isatty())
        sys.exit(130)
    sys.exit(status)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"carom {version('carom')}")
        raise typer.Exit


@app.callback()
def _common(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
