"""Options and arguments that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from carom.files.unpack_limit import UNPACK_LIMIT, UNPACK_OPTION, unpacking_up_to
from carom.trees.spheres.sphere_tree import MOST_LEVELS

Words = Callable[[str], list[str]]
"""Completes the beginning of a word."""


def option(help: str, *names: str, words: Words | None = None, **settings: Any) -> Any:
    """Return an option. names: other than that of its parameter; words: completions of its value."""
    return typer.Option(*names, help=help, autocompletion=words, **settings)


def argument(metavar: str, help: str, words: Words | None = None) -> Any:
    """Return an argument. words: completions of its value."""
    return typer.Argument(metavar=metavar, help=help, autocompletion=words)


AsJson = Annotated[bool, option("Print the result, and nothing else, as JSON on stdout.", "--json")]
RunArgument = Annotated[Path, argument("RUN", "Run file of `carom run` or `carom check`.")]
Picture = Annotated[Path | None, option("Also write this PNG picture, replacing it (needs carom[plot]).")]
Html = Annotated[
    Path | None, option("Also write a replay to this file, replacing it: one page for any browser, offline.")
]
SphereTrees = Annotated[
    int | None,
    option(
        "Show this many levels of the sphere-trees of meshes in the replay; 3 are usually enough.",
        min=1,
        max=MOST_LEVELS,
        metavar="LEVELS",
    ),
]


def _allow_unpacking(context: typer.Context, asked: str | None) -> None:
    if asked is not None:
        context.with_resource(unpacking_up_to(asked))


UnpackLimit = Annotated[
    str | None,
    option(
        f"Maximum size of a file unpacked in memory, e.g. 4GB. [default: {UNPACK_LIMIT}, or 256MB or 20 times its length]",
        UNPACK_OPTION,
        metavar="SIZE",
        callback=_allow_unpacking,
        expose_value=False,
    ),
]
