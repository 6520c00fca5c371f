"""Commands that read run files or ask about two shapes: `carom view`, `plot`, `export` and `query`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from carom.cli.options import AsJson, RunArgument, SphereTrees, UnpackLimit, argument, option
from carom.cli.query import BUILT_IN_SHAPES, OPERATIONS, QueryRequest, answer
from carom.cli.terminal import completion
from carom.cli.terminal.output import say_json, say_result
from carom.cli.view import ViewRequest, show
from carom.errors import RunFileError
from carom.io import export_run


def view(
    run: RunArgument,
    html: Annotated[
        Path | None, option("Write the replay to this file, replacing it, instead of serving the page.")
    ] = None,
    since: Annotated[float | None, option("Start of the replay, simulated s. [default: the start]")] = None,
    until: Annotated[float | None, option("End of the replay, simulated s. [default: the end]")] = None,
    sphere_trees: SphereTrees = None,
    port: Annotated[int, option("Port on this machine; 0 selects a free port.")] = 0,
    no_browser: Annotated[bool, option("Only print the address; open no browser.", "--no-browser")] = False,
    as_json: AsJson = False,
) -> None:
    """Replay a run in the browser.

    The page shows the bodies and every contact at any time of the run. It is served to this machine only, under an address
    with a random token, until Ctrl-C. With --html it is written to one file that opens in any browser, offline.
    """
    show(ViewRequest(run, html, since, until, port, not no_browser, as_json, sphere_trees))


def plot(
    run: RunArgument,
    out: Annotated[Path | None, option("Picture to write, replacing it. [default: RUN-plot.png]")] = None,
    as_json: AsJson = False,
) -> None:
    """Plot statistics of a run as one picture.

    The plots are contacts over time, event rates, which bodies touched which, and speeds. The picture is a PNG, or another
    format by the ending of its name (.svg, .pdf); it needs carom[plot]. --json prints the plotted numbers.
    """
    from carom.cli.plot import plot as draw

    say_result(draw(run, out), as_json)


def export(
    run: RunArgument,
    parquet: Annotated[Path | None, option("Folder for Parquet files.")] = None,
    csv: Annotated[Path | None, option("Folder for CSV files.")] = None,
    as_json: AsJson = False,
) -> None:
    """Write a run's bodies and contacts as Parquet or CSV files."""
    if parquet is None and csv is None:
        raise RunFileError("say where to export to: --parquet FOLDER or --csv FOLDER")
    written: list[Path] = []
    if parquet is not None:
        written += export_run(run, parquet, "parquet")
    if csv is not None:
        written += export_run(run, csv, "csv")
    if as_json:
        say_json({"files": written})
    else:
        typer.echo("\n".join(map(str, written)))


def query(
    operation: Annotated[str, argument("OP", f"{', '.join(OPERATIONS)} (time of impact).", completion.operations)],
    a: Annotated[str, argument("A", "A mesh file, or a built-in shape such as box:1,1,1.")],
    b: Annotated[str, argument("B", "The other shape.")],
    pose_a: Annotated[
        str | None, option("Pose of A: x,y,z[,qw,qx,qy,qz], m and quaternion. [default: the origin]")
    ] = None,
    pose_b: Annotated[str | None, option("Pose of B.")] = None,
    velocity_a: Annotated[str | None, option("Velocity of A: x,y,z, m/s (toi).")] = None,
    velocity_b: Annotated[str | None, option("Velocity of B.")] = None,
    spin_a: Annotated[
        str | None, option("Angular velocity of A about its origin: x,y,z, rad/s, world axes (toi).")
    ] = None,
    spin_b: Annotated[str | None, option("Angular velocity of B.")] = None,
    until: Annotated[float | None, option("End of the search, s; it starts at 0 (toi).")] = None,
    size: Annotated[float | None, option("Size of the gap, m (gap).")] = None,
    unpack_limit: UnpackLimit = None,
    as_json: AsJson = False,
) -> None:
    """Test two shapes."""
    found = answer(QueryRequest(operation, a, b, pose_a, pose_b, velocity_a, velocity_b, spin_a, spin_b, until, size))
    say_result(found, as_json)
    raise typer.Exit(found.exit_code)


query.__doc__ = f"""Test two shapes: contact, distance, depth or time of impact.

Built-in shapes: {BUILT_IN_SHAPES}, in metres, height along z. A mesh file is a surface; the built-in shapes are solid.

Exit status: 1 when collide or toi finds a contact or gap finds no gap, 2 for an error, 0 otherwise.
"""
