"""`carom scenes`: the built-in scenes and animations, their options, defaults and ranges."""

from __future__ import annotations

from typing import Any

from rich.console import Console

from carom.cli.terminal.output import facts_table
from carom.scenes import ANIMATIONS, BUILT_IN, BuiltIn
from carom.scenes.built_in import SEED, Range


def all_built_in() -> dict[str, BuiltIn[Any]]:
    """Return scenes and animations by name."""
    return {**BUILT_IN, **ANIMATIONS}


def scenes_as_dict() -> dict[str, object]:
    """Return all of it, for JSON."""
    return {
        name: {
            "summary": built_in.summary,
            "command": "check" if name in ANIMATIONS else "run",
            "parameters": {
                key: {
                    "default": built_in.default(key),
                    "lowest": span.lowest,
                    "highest": span.highest,
                    "meaning": span.meaning,
                }
                for key, span in built_in.ranges.items()
            },
        }
        for name, built_in in all_built_in().items()
    }


def show_scenes(console: Console) -> None:
    """Print the scenes of each command with their options; the seed, which all have, is described once."""
    for command, group in (("run", BUILT_IN), ("check", ANIMATIONS)):
        for name, built_in in group.items():
            console.print(f"carom {command} {name}", style="bold")
            console.print(f"  {built_in.summary}")
            table = facts_table()
            for key, span in built_in.ranges.items():
                if span is not SEED:
                    table.add_row(f"    --{key}", *_said(built_in.default(key), span))
            console.print(table)
            console.print()
    console.print("All scenes and animations take --seed, the seed of the random generator.")
    console.print("A .toml file is a scene too; `carom scenes --schema` prints its JSON schema.")


def _said(default: float, span: Range) -> tuple[str, str, str]:
    """Describe the default, range and meaning of an option; parameters that are 0 or 1 are switches."""
    if isinstance(default, int) and (span.lowest, span.highest) == (0, 1):
        return "off", "", span.meaning.removeprefix("1: ")
    return f"{default:g}", span.ends(), span.meaning
