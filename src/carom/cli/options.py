"""Options and arguments that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from carom.files.unpack_limit import UNPACK_LIMIT, UNPACK_OPTION, unpacking_up_to
from carom.trees.spheres.sphere_tree import MOST_LEVELS

AsJson = Annotated[bool, typer.Option("--json", help="Print the result, and nothing else, as JSON on stdout.")]
RunArgument = Annotated[Path, typer.Argument(metavar="RUN", help="Run file of `carom run` or `carom check`.")]
Picture = Annotated[Path | None, typer.Option(help="Also write this PNG picture, replacing it (needs carom[plot]).")]
Html = Annotated[
    Path | None, typer.Option(help="Also write a replay to this file, replacing it: one page for any browser, offline.")
]
SphereTrees = Annotated[
    int | None,
    typer.Option(
        min=1,
        max=MOST_LEVELS,
        metavar="LEVELS",
        help="Show this many levels of the sphere-trees of meshes in the replay; 3 are usually enough.",
    ),
]


def _allow_unpacking(context: typer.Context, asked: str | None) -> None:
    if asked is not None:
        context.with_resource(unpacking_up_to(asked))


UnpackLimit = Annotated[
    str | None,
    typer.Option(
        UNPACK_OPTION,
        metavar="SIZE",
        callback=_allow_unpacking,
        expose_value=False,
        help=f"Maximum size of a file unpacked in memory, e.g. 4GB. [default: {UNPACK_LIMIT}, or 256MB or 20 times its length]",
    ),
]
