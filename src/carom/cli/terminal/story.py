"""Help and errors of the command line: commands in groups by task, and one message per mistake."""

from __future__ import annotations

import difflib
from typing import Any

import typer
from pydantic import ValidationError
from typer.core import TyperGroup

from carom.cli.terminal.interrupts import INTERRUPTS
from carom.cli.terminal.output import say_error
from carom.cli.terminal.streams import reading_ends
from carom.scenes import ANIMATIONS, BUILT_IN
from carom.scenes.toml.fault_words import expected_words

START, LOOK, ASK, MEASURE, CARE = (
    "Find contacts",
    "View and export results",
    "Query two shapes",
    "Benchmarks",
    "Maintenance",
)
"""Headings of `carom --help`, in this order; commands name theirs as `rich_help_panel`."""

# click's class of all errors in a command line; typer includes click in some versions only.
_Mistake: type[Exception] = typer.BadParameter.__mro__[1]


class Story(TyperGroup):
    """The group of all commands, listed under headings."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the commands under their headings, each with the first sentence of its help."""
        groups: dict[str, list[tuple[str, str]]] = {}
        for name in self.list_commands(ctx):
            command: Any = self.get_command(ctx, name)
            summary = (command.help or "").split("\n")[0].rstrip(".")
            groups.setdefault(command.rich_help_panel, []).append((name, summary))
        width = max(len(name) for rows in groups.values() for name, _ in rows)
        for heading, rows in groups.items():
            with formatter.section(heading):
                formatter.write_dl([(name.ljust(width), summary) for name, summary in rows])

    def invoke(self, ctx: Any) -> Any:
        """Run the command; Ctrl-C raises Interrupted."""
        with INTERRUPTS.ending_as(lambda: "interrupted"), reading_ends():
            return super().invoke(ctx)

    def make_context(self, *arguments: Any, **options: Any) -> Any:
        """Read the command line, and print the help or the version."""
        with reading_ends():
            return super().make_context(*arguments, **options)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command that was typed; the error for an unknown one suggests another."""
        try:
            return super().resolve_command(ctx, args)
        except _Mistake as mistake:
            unknown: Any = mistake
            unknown.message = f"no command is called {args[0]!r}{_meant(args[0], self.list_commands(ctx))}"
            raise


def _meant(word: str, commands: list[str]) -> str:
    """Return a suggestion for an unknown command: the command is missing, or misspelt."""
    if word in BUILT_IN or word.endswith(".toml"):
        return f"; did you mean `carom run {word}`?"
    if word in ANIMATIONS:
        return f"; did you mean `carom check {word}`?"
    return "".join(f"; did you mean {near}?" for near in difflib.get_close_matches(word, commands, n=1))


def tell(app: typer.Typer) -> int:
    """Run the application on sys.argv and return the exit status. An invalid command line is one message and status 2.

    Ctrl-C raises Interrupted.
    """
    try:
        status = app(prog_name="carom", standalone_mode=False)
    except _Mistake as mistake:
        say_error(_in_words(mistake))
        return 2
    except typer.Abort:
        raise KeyboardInterrupt from None
    return status if isinstance(status, int) else 0


def _in_words(mistake: Any) -> str:
    """Return the error, and where to find help."""
    if isinstance(mistake.__cause__, ValidationError):
        fault = mistake.__cause__.errors(include_url=False)[0]
        words = f"{mistake.param.opts[0]} is {fault['input']!r}; expected {expected_words(fault)}"
    elif getattr(mistake, "possibilities", None):
        near = difflib.get_close_matches(mistake.option_name, mistake.possibilities, n=1, cutoff=0.0)
        words = f"no such option: {mistake.option_name}; did you mean {near[0]}?"
    else:
        words = " ".join(str(mistake.format_message()).split()).rstrip(".")
        words = f"{words[:1].lower()}{words[1:]}"
    where = mistake.ctx.command_path if mistake.ctx is not None else "carom"
    return f"{words}{'' if words.endswith('?') else ';'} `{where} --help` says what is expected"
