"""The command `carom` and its subcommands; each only reads options and calls the library."""

from __future__ import annotations

import json
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from carom.cli.check import FORMATS, CheckRequest
from carom.cli.check import execute as execute_check
from carom.cli.play import PlayRequest
from carom.cli.play import execute as execute_play
from carom.cli.query import QueryRequest, answer
from carom.cli.run import RunRequest, execute
from carom.cli.view import ViewRequest, show
from carom.engine.selection import BROAD_PHASES
from carom.errors import CaromError, RunFileError
from carom.io import export_run
from carom.scenes import ANIMATIONS, BUILT_IN, BuiltIn, scene_schema

app = typer.Typer(
    name="carom",
    help="When and where do moving things first touch? Exact, event-driven collision detection.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

AsJson = Annotated[bool, typer.Option("--json", help="Machine-readable output on stdout.")]


def main() -> None:
    """Entry point: an error of carom's own is one line on stderr and exit code 2."""
    try:
        app()
    except CaromError as error:
        sys.stderr.write(f"carom: {error}\n")
        sys.exit(2)
    except KeyboardInterrupt:
        sys.stderr.write("carom: stopped\n")
        sys.exit(130)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"carom {version('carom')}")
        raise typer.Exit


@app.callback()
def _common(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Options before the subcommand."""


@app.command()
def run(
    scene: Annotated[str, typer.Argument(help="A built-in scene (see `carom scenes`) or a .toml scene file.")],
    objects: Annotated[int | None, typer.Option(help="Number of bodies.")] = None,
    density: Annotated[
        float | None, typer.Option(help="Bounding-sphere volume over box volume (rings, models).")
    ] = None,
    packing: Annotated[float | None, typer.Option(help="Sphere volume over box volume (gas).")] = None,
    periodic: Annotated[
        bool, typer.Option("--periodic", help="Let the box repeat in space, without walls (gas).")
    ] = False,
    restitution: Annotated[float | None, typer.Option(help="Speed kept at a contact, 0 to 1 (gas).")] = None,
    speed: Annotated[float | None, typer.Option(help="Speed of the cue ball, m/s (billiards).")] = None,
    seed: Annotated[int | None, typer.Option(help="Seed of the random generator.")] = None,
    until: Annotated[float | None, typer.Option(help="Simulated seconds to run to. [default: the scene's]")] = None,
    broad: Annotated[str | None, typer.Option(help=f"Broad phase: {', '.join(BROAD_PHASES)}. [default: auto]")] = None,
    queue: Annotated[
        str | None,
        typer.Option(help="Event queue: tournament, pairing, heap4, fibonacci, reference. [default: tournament]"),
    ] = None,
    hz: Annotated[
        float | None, typer.Option(help="Poll the world this often per simulated second; changes no contact.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Run file to write. [default: SCENE.duckdb, numbered if taken]")
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Continue the run file OUT from its last checkpoint.")
    ] = False,
    no_log: Annotated[bool, typer.Option("--no-log", help="Write no run file.")] = False,
    checkpoint_every: Annotated[
        float | None, typer.Option(help="Simulated seconds between checkpoints. [default: a tenth of the run]")
    ] = None,
    picture: Annotated[Path | None, typer.Option(help="Also draw the run as a PNG (needs carom[plot]).")] = None,
    html: Annotated[Path | None, typer.Option(help="Also write a replay: one page for any browser, offline.")] = None,
    as_json: AsJson = False,
) -> None:
    """Run a scene and write every contact to a run file.

    The same command gives the same contacts, bit for bit. A run that was stopped, by whatever means, loses nothing
    before its last checkpoint; --resume continues it to the same log that an uninterrupted run gives.
    """
    chosen = {
        "objects": objects, "density": density, "packing": packing, "periodic": 1 if periodic else None,
        "restitution": restitution, "speed": speed, "seed": seed,
    }  # fmt: skip
    request = RunRequest(
        scene=scene,
        parameters={key: value for key, value in chosen.items() if value is not None},
        until=until,
        world={key: value for key, value in {"broad": broad, "queue": queue}.items() if value is not None},
        hz=hz,
        out=out,
        resume=resume,
        log=not no_log,
        checkpoint_every=checkpoint_every,
        picture=picture,
        html=html,
    )
    summary = execute(request, Console(stderr=True))
    if as_json:
        typer.echo(json.dumps(summary.as_dict(), indent=2))
    else:
        summary.show(Console())


@app.command()
def scenes(
    schema: Annotated[bool, typer.Option("--schema", help="Print the JSON schema of scene files instead.")] = False,
    as_json: AsJson = False,
) -> None:
    """List the built-in scenes and animations and their parameters."""
    if schema:
        typer.echo(json.dumps(scene_schema(), indent=2))
        return
    if as_json:
        typer.echo(json.dumps(_scenes_as_dict(), indent=2))
        return
    table = Table("scene", "option", "default", "range", "what it is")
    for name, built_in in _all_built_in():
        table.add_row(name, "", "", "", built_in.summary, style="bold")
        for key, span in built_in.ranges.items():
            table.add_row(
                "", f"--{key}", f"{built_in.default(key):g}", f"{span.lowest:g} to {span.highest:g}", span.meaning
            )
        table.add_section()
    Console().print(table)
    typer.echo(f"`carom run` runs a scene; {', '.join(ANIMATIONS)} deform: `carom check` finds their contacts.")
    typer.echo("A .toml file is a scene too: `carom scenes --schema` says what it may hold.")


def _all_built_in() -> list[tuple[str, BuiltIn[Any]]]:
    return [*BUILT_IN.items(), *ANIMATIONS.items()]


def _scenes_as_dict() -> dict[str, object]:
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
        for name, built_in in _all_built_in()
    }


@app.command()
def check(
    targets: Annotated[
        list[str],
        typer.Argument(metavar="FILE...", help=f"Animation files ({FORMATS}), or tablecloth, swirl or walker."),
    ],
    self_contact: Annotated[
        bool, typer.Option("--self/--no-self", help="Look for contacts of a body with itself.")
    ] = True,
    until: Annotated[float | None, typer.Option(help="Seconds up to which to look. [default: the end]")] = None,
    fps: Annotated[float | None, typer.Option(help="Frames a second where files number frames. [default: 24]")] = None,
    mesh: Annotated[Path | None, typer.Option(help="Mesh file with the faces of a .pc2 or .mdd point cache.")] = None,
    first: Annotated[int, typer.Option(help="How many contacts to list, from the first on.")] = 10,
    every: Annotated[
        bool,
        typer.Option("--every", help="Report a pair in each interval in which it touches, not only its beginning."),
    ] = False,
    faces: Annotated[int | None, typer.Option(help="Triangles of a built-in animation.")] = None,
    keys: Annotated[int | None, typer.Option(help="Keys of a built-in animation.")] = None,
    seed: Annotated[int | None, typer.Option(help="Seed of a built-in animation.")] = None,
    out: Annotated[Path | None, typer.Option(help="Run file (.duckdb) for the contacts, bodies included.")] = None,
    picture: Annotated[Path | None, typer.Option(help="Draw the first contact as a PNG (needs carom[plot]).")] = None,
    html: Annotated[Path | None, typer.Option(help="Also write a replay: one page for any browser, offline.")] = None,
    as_json: AsJson = False,
) -> None:
    """Find every contact of deforming meshes: when, where and between what, the first one first.

    OBJ, PLY and OFF files whose names differ in their last number are the frames of one body; a mesh file on its own stands
    still. Vertices move straight between frames, and no contact between frames is missed.

    Exit status: 1 when something touches, 0 when nothing does, 2 for an error.
    """
    chosen = {"faces": faces, "keys": keys, "seed": seed}
    request = CheckRequest(
        targets=targets,
        parameters={key: value for key, value in chosen.items() if value is not None},
        mesh=mesh,
        fps=fps,
        until=until,
        self_contact=self_contact,
        every=every,
        first=first,
        out=out,
        picture=picture,
        html=html,
    )
    findings = execute_check(request, Console(stderr=True))
    if as_json:
        typer.echo(json.dumps(findings.as_dict(), indent=2))
    else:
        findings.show(Console())
    raise typer.Exit(findings.exit_code)


@app.command()
def export(
    run: Annotated[Path, typer.Argument(help="A run file, of `carom run` or `carom check`.")],
    parquet: Annotated[Path | None, typer.Option(help="Folder for Parquet files.")] = None,
    csv: Annotated[Path | None, typer.Option(help="Folder for CSV files.")] = None,
) -> None:
    """Write the bodies, contacts and checkpoints of a run, or of a check, as Parquet or CSV files."""
    if parquet is None and csv is None:
        raise RunFileError("say where to export to: --parquet FOLDER or --csv FOLDER")
    written: list[Path] = []
    if parquet is not None:
        written += export_run(run, parquet, "parquet")
    if csv is not None:
        written += export_run(run, csv, "csv")
    for path in written:
        typer.echo(str(path))


@app.command()
def view(
    run: Annotated[Path, typer.Argument(help="A run file, of `carom run` or `carom check`.")],
    html: Annotated[
        Path | None, typer.Option(help="Write the replay to this file, to keep or to send, and show nothing.")
    ] = None,
    since: Annotated[float | None, typer.Option(help="Simulated seconds to begin at. [default: the beginning]")] = None,
    until: Annotated[float | None, typer.Option(help="Simulated seconds to end at. [default: the end]")] = None,
    port: Annotated[int, typer.Option(help="Port on this machine; 0 is any free one.")] = 0,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Only print the address.")] = False,
    as_json: AsJson = False,
) -> None:
    """Replay a run in the browser: bodies, every contact, and the time between them.

    The page is served to this machine alone, under an address nobody can guess, until Ctrl-C. With --html it becomes one file
    that opens anywhere without a network.
    """
    show(ViewRequest(run, html, since, until, port, not no_browser, as_json))


@app.command()
def query(
    operation: Annotated[
        str, typer.Argument(metavar="OP", help="collide, gap, distance, penetration or toi (time of impact).")
    ],
    a: Annotated[str, typer.Argument(metavar="A", help="A mesh file, or a built-in shape such as box:1,1,1.")],
    b: Annotated[str, typer.Argument(metavar="B", help="The other one.")],
    pose_a: Annotated[str | None, typer.Option(help="x,y,z[,qw,qx,qy,qz] of A, m. [default: the origin]")] = None,
    pose_b: Annotated[str | None, typer.Option(help="The same of B.")] = None,
    velocity_a: Annotated[str | None, typer.Option(help="x,y,z of A, m/s (toi).")] = None,
    velocity_b: Annotated[str | None, typer.Option(help="The same of B.")] = None,
    spin_a: Annotated[str | None, typer.Option(help="x,y,z of A, rad/s about its origin, world axes (toi).")] = None,
    spin_b: Annotated[str | None, typer.Option(help="The same of B.")] = None,
    until: Annotated[float | None, typer.Option(help="Seconds to look ahead (toi).")] = None,
    size: Annotated[float | None, typer.Option(help="Size of the gap, m (gap).")] = None,
    as_json: AsJson = False,
) -> None:
    """Ask one question about two shapes: do they touch, how far apart or how deep are they, when do they first touch?

    Built-in shapes: sphere:RADIUS, box:X,Y,Z, capsule:RADIUS,HEIGHT, cylinder:RADIUS,HEIGHT, cone:RADIUS,HEIGHT, in
    metres, height along z. A mesh file is its surface, the others are solid.

    Exit status: 1 when collide or toi finds a contact or gap finds no gap, 2 for an error, 0 otherwise.
    """
    found = answer(QueryRequest(operation, a, b, pose_a, pose_b, velocity_a, velocity_b, spin_a, spin_b, until, size))
    if as_json:
        typer.echo(json.dumps(found.as_dict(), indent=2))
    else:
        found.show(Console())
    raise typer.Exit(found.exit_code)


@app.command()
def play(
    game: Annotated[str, typer.Argument(help="ships: fly among ten drones, all shaped as desk lamps.")],
    frames: Annotated[int | None, typer.Option(help="Run so many frames without a terminal.")] = None,
    script: Annotated[
        Path | None, typer.Option(help="Run a script without a terminal: lines such as `30 thrust left`.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of what drones do.")] = 0,
    drones: Annotated[int, typer.Option(help="Number of drones.")] = 10,
    target: Annotated[float, typer.Option(help="Milliseconds that a frame should take.")] = 1000.0 / 30.0,
    method: Annotated[
        str, typer.Option(help="bounds (space-time bounds, sphere-trees) or grid-bsp (Turk's grid, BSP-trees).")
    ] = "bounds",
    steps: Annotated[int | None, typer.Option(help="Pairs of spheres a frame, instead of the time left.")] = None,
    level: Annotated[int | None, typer.Option(help="Level of the sphere-trees, instead of the time left.")] = None,
    picture: Annotated[bool, typer.Option("--picture", help="Also show the last frame, without a terminal.")] = False,
    as_json: AsJson = False,
) -> None:
    """Fly a spaceship: collisions are found in the time that a frame leaves, and ships that collide jump back.

    Arrows turn, space gives thrust, a and d roll, h brings the ship home, q ends. With --steps or --level a run without a
    terminal gives the same frames every time.
    """
    summary = execute_play(
        PlayRequest(game, frames, script, seed, drones, target, method, steps, level, picture), Console(stderr=True)
    )
    if as_json:
        typer.echo(json.dumps(summary.as_dict()))
    else:
        summary.show(Console())


@app.command()
def bench(
    name: Annotated[
        str, typer.Argument(help="broad, hubbard, ksl, ksp, queries, or peers-rings (needs carom[peers]).")
    ],
    out: Annotated[Path, typer.Option(help="Folder for tables (CSV) and figures (PNG).")] = Path("out/bench"),
    quick: Annotated[
        bool, typer.Option("--quick", help="Smaller measurements: shows that it works, not how fast.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Reproduce a published experiment, or compare with other libraries."""
    from carom.bench import run as run_bench

    report = run_bench(name, out, quick=quick, console=Console(stderr=True) if as_json else None)
    if as_json:
        typer.echo(json.dumps(report.as_dict()))
