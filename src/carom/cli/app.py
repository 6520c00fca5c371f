"""The command `carom` and its subcommands; each only reads options and calls the library."""

from __future__ import annotations

import sys
from importlib.metadata import version
from pathlib import Path
from typing import Annotated

import typer

from carom.cli.check import FORMATS, CheckRequest
from carom.cli.check import execute as execute_check
from carom.cli.play import PlayRequest
from carom.cli.play import execute as execute_play
from carom.cli.query import BUILT_IN_SHAPES, OPERATIONS, QueryRequest, answer
from carom.cli.run import RunRequest, execute
from carom.cli.scene_list import scenes_as_dict, show_scenes
from carom.cli.terminal import completion, story
from carom.cli.terminal.interrupts import INTERRUPTS, Interrupted
from carom.cli.terminal.output import aside, printer, say_error, say_json
from carom.cli.terminal.streams import OutputClosed, in_words, prepare_output, silence_output
from carom.cli.view import ViewRequest, show
from carom.engine.broad_phase_choice import BROAD_PHASES
from carom.errors import CaromError, RunFileError
from carom.files.unpack_limit import UNPACK_LIMIT, UNPACK_OPTION, unpacking_up_to
from carom.io import export_run
from carom.queues import METHODS
from carom.scenes import ANIMATIONS, scene_schema
from carom.trees.spheres.sphere_tree import MOST_LEVELS

app = typer.Typer(
    name="carom",
    cls=story.Story,
    help="When and where do moving things first touch? Exact, event-driven collision detection.",
    epilog="Start with `carom run rings`, then `carom view rings.duckdb`. Each command has its own --help.",
    invoke_without_command=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

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


def main() -> None:
    """Entry point: whatever goes wrong is one message on stderr and exit status 2, or 130 at Ctrl-C.

    141 where nobody reads the output any more, as a shell reports it of other programs.
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


@app.command(rich_help_panel=story.START)
def run(
    scene: Annotated[
        str,
        typer.Argument(
            metavar="SCENE",
            help="A built-in scene (see `carom scenes`) or a .toml scene file.",
            autocompletion=completion.scenes,
        ),
    ],
    objects: Annotated[int | None, typer.Option(help="Number of bodies.")] = None,
    density: Annotated[
        float | None,
        typer.Option(
            help="Total volume of bounding spheres / volume of the box, up to 0.15 for many bodies (rings, models)."
        ),
    ] = None,
    packing: Annotated[float | None, typer.Option(help="Total volume of spheres / volume of the box (gas).")] = None,
    periodic: Annotated[
        bool, typer.Option("--periodic", help="Periodic boundary conditions instead of walls (gas).")
    ] = False,
    restitution: Annotated[float | None, typer.Option(help="Coefficient of restitution, 0 to 1 (gas).")] = None,
    speed: Annotated[float | None, typer.Option(help="Speed of the cue ball, m/s (billiards).")] = None,
    seed: Annotated[int | None, typer.Option(help="Seed of the random generator.")] = None,
    until: Annotated[float | None, typer.Option(help="End of the run, simulated s. [default: the scene's]")] = None,
    broad: Annotated[
        str | None,
        typer.Option(
            help=f"Broad phase: {', '.join(BROAD_PHASES)}. [default: auto]", autocompletion=completion.broad_phases
        ),
    ] = None,
    queue: Annotated[
        str | None,
        typer.Option(
            help=f"Event queue: {', '.join(METHODS)}. [default: tournament]", autocompletion=completion.queues
        ),
    ] = None,
    hz: Annotated[float | None, typer.Option(help="Polls per simulated second; they change no contact.")] = None,
    out: Annotated[
        Path | None, typer.Option(help="Run file to write. [default: SCENE.duckdb, numbered if it exists]")
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Continue the run file OUT from its last checkpoint.")
    ] = False,
    no_log: Annotated[bool, typer.Option("--no-log", help="Write no run file.")] = False,
    checkpoint_every: Annotated[
        float | None, typer.Option(help="Simulated seconds between checkpoints. [default: a tenth of the run]")
    ] = None,
    picture: Picture = None,
    html: Html = None,
    sphere_trees: SphereTrees = None,
    unpack_limit: UnpackLimit = None,
    as_json: AsJson = False,
) -> None:
    """Run a scene of rigid bodies and record every contact.

    The same command gives the same contacts, bit for bit. A run that is interrupted in any way loses nothing
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
        sphere_trees=sphere_trees,
    )
    summary = execute(request, aside())
    if as_json:
        say_json(summary.as_dict())
    else:
        summary.show(printer())


@app.command(rich_help_panel=story.START)
def check(
    targets: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE",
            help=f"Animation files ({FORMATS}), or {', '.join(ANIMATIONS)}.",
            autocompletion=completion.animations,
        ),
    ],
    self_contact: Annotated[bool, typer.Option("--self/--no-self", help="Find contacts of a body with itself.")] = True,
    until: Annotated[float | None, typer.Option(help="End of the check, s. [default: the last key]")] = None,
    fps: Annotated[float | None, typer.Option(help="Frames per second, for files of frames. [default: 24]")] = None,
    mesh: Annotated[Path | None, typer.Option(help="Mesh file with the faces of a .pc2 or .mdd point cache.")] = None,
    first: Annotated[int, typer.Option(help="Number of contacts to list, earliest first.")] = 10,
    every: Annotated[
        bool,
        typer.Option(
            "--every", help="Report a pair in each interval in which it touches, not only at its first contact."
        ),
    ] = False,
    faces: Annotated[int | None, typer.Option(help="Triangles of a built-in animation.")] = None,
    keys: Annotated[int | None, typer.Option(help="Keys of a built-in animation.")] = None,
    seed: Annotated[int | None, typer.Option(help="Seed of a built-in animation.")] = None,
    out: Annotated[Path | None, typer.Option(help="Run file to write. [default: none]")] = None,
    picture: Picture = None,
    html: Html = None,
    unpack_limit: UnpackLimit = None,
    as_json: AsJson = False,
) -> None:
    """Find every contact of deforming meshes: cloth, characters.

    Reports the time, the place and the bodies of each contact, earliest first. OBJ, PLY and OFF files whose names differ
    only in their last number are the frames of one body; a single mesh file is a body at rest. Vertices move linearly
    between frames, and no contact between frames is missed.

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
    findings = execute_check(request, aside())
    if as_json:
        say_json(findings.as_dict())
    else:
        findings.show(printer())
    raise typer.Exit(findings.exit_code)


@app.command(rich_help_panel=story.START)
def scenes(
    schema: Annotated[bool, typer.Option("--schema", help="Print the JSON schema of scene files instead.")] = False,
    as_json: AsJson = False,
) -> None:
    """List the built-in scenes and animations, and their options."""
    if schema:
        say_json(scene_schema())
    elif as_json:
        say_json(scenes_as_dict())
    else:
        show_scenes(printer())


@app.command(rich_help_panel=story.LOOK)
def view(
    run: RunArgument,
    html: Annotated[
        Path | None,
        typer.Option(help="Write the replay to this file, replacing it, instead of serving the page."),
    ] = None,
    since: Annotated[float | None, typer.Option(help="Start of the replay, simulated s. [default: the start]")] = None,
    until: Annotated[float | None, typer.Option(help="End of the replay, simulated s. [default: the end]")] = None,
    sphere_trees: SphereTrees = None,
    port: Annotated[int, typer.Option(help="Port on this machine; 0 selects a free port.")] = 0,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Only print the address; open no browser.")] = False,
    as_json: AsJson = False,
) -> None:
    """Replay a run in the browser.

    The page shows the bodies and every contact at any time of the run. It is served to this machine only, under an address
    with a random token, until Ctrl-C. With --html it is written to one file that opens in any browser, offline.
    """
    show(ViewRequest(run, html, since, until, port, not no_browser, as_json, sphere_trees))


@app.command(rich_help_panel=story.LOOK)
def plot(
    run: RunArgument,
    out: Annotated[Path | None, typer.Option(help="Picture to write, replacing it. [default: RUN-plot.png]")] = None,
    as_json: AsJson = False,
) -> None:
    """Plot statistics of a run as one picture.

    The plots are contacts over time, event rates, which bodies touched which, and speeds. The picture is a PNG, or another
    format by the ending of its name (.svg, .pdf); it needs carom[plot]. --json prints the plotted numbers.
    """
    from carom.cli.plot import plot as draw

    plotted = draw(run, out)
    if as_json:
        say_json(plotted.as_dict())
    else:
        plotted.show(printer())


@app.command(rich_help_panel=story.LOOK)
def export(
    run: RunArgument,
    parquet: Annotated[Path | None, typer.Option(help="Folder for Parquet files.")] = None,
    csv: Annotated[Path | None, typer.Option(help="Folder for CSV files.")] = None,
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


_QUERY_HELP = f"""Test two shapes: contact, distance, depth or time of impact.

Built-in shapes: {BUILT_IN_SHAPES}, in metres, height along z. A mesh file is a surface; the built-in shapes are solid.

Exit status: 1 when collide or toi finds a contact or gap finds no gap, 2 for an error, 0 otherwise.
"""


@app.command(rich_help_panel=story.ASK, help=_QUERY_HELP)
def query(
    operation: Annotated[
        str,
        typer.Argument(
            metavar="OP", help=f"{', '.join(OPERATIONS)} (time of impact).", autocompletion=completion.operations
        ),
    ],
    a: Annotated[str, typer.Argument(metavar="A", help="A mesh file, or a built-in shape such as box:1,1,1.")],
    b: Annotated[str, typer.Argument(metavar="B", help="The other shape.")],
    pose_a: Annotated[
        str | None, typer.Option(help="Pose of A: x,y,z[,qw,qx,qy,qz], m and quaternion. [default: the origin]")
    ] = None,
    pose_b: Annotated[str | None, typer.Option(help="Pose of B.")] = None,
    velocity_a: Annotated[str | None, typer.Option(help="Velocity of A: x,y,z, m/s (toi).")] = None,
    velocity_b: Annotated[str | None, typer.Option(help="Velocity of B.")] = None,
    spin_a: Annotated[
        str | None, typer.Option(help="Angular velocity of A about its origin: x,y,z, rad/s, world axes (toi).")
    ] = None,
    spin_b: Annotated[str | None, typer.Option(help="Angular velocity of B.")] = None,
    until: Annotated[float | None, typer.Option(help="End of the search, s; it starts at 0 (toi).")] = None,
    size: Annotated[float | None, typer.Option(help="Size of the gap, m (gap).")] = None,
    unpack_limit: UnpackLimit = None,
    as_json: AsJson = False,
) -> None:
    """Test two shapes."""
    found = answer(QueryRequest(operation, a, b, pose_a, pose_b, velocity_a, velocity_b, spin_a, spin_b, until, size))
    if as_json:
        say_json(found.as_dict())
    else:
        found.show(printer())
    raise typer.Exit(found.exit_code)


@app.command(rich_help_panel=story.START)
def play(
    game: Annotated[
        str,
        typer.Argument(
            metavar="GAME",
            help="ships: fly among ten drones, all shaped like desk lamps.",
            autocompletion=completion.games,
        ),
    ],
    frames: Annotated[int | None, typer.Option(help="Run this number of frames without a terminal.")] = None,
    script: Annotated[
        Path | None, typer.Option(help="Run a script without a terminal: lines such as `30 thrust left`.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of the drones' actions.")] = 0,
    drones: Annotated[int, typer.Option(help="Number of drones.")] = 10,
    target: Annotated[
        float,
        typer.Option(
            help="Target duration of a frame, ms. [default: 33.3, a thirtieth of a second]", show_default=False
        ),
    ] = 1000.0 / 30.0,
    method: Annotated[
        str, typer.Option(help="bounds (space-time bounds, sphere-trees) or grid-bsp (Turk's grid, BSP-trees).")
    ] = "bounds",
    steps: Annotated[
        int | None, typer.Option(help="Limit detection by tested pairs of spheres per frame instead of by time.")
    ] = None,
    level: Annotated[
        int | None, typer.Option(help="Limit detection by the level of the sphere-trees instead of by time.")
    ] = None,
    last_frame: Annotated[bool, typer.Option("--last-frame", help="Also print the last frame as text.")] = False,
    as_json: AsJson = False,
) -> None:
    """Fly a spaceship among drones.

    Collision detection uses the time that remains in each frame, and ships that collide jump back to their starts. Arrows
    turn, space gives thrust, a and d roll, h returns the ship to its start, q quits. With --steps or --level a run without
    a terminal gives the same frames every time.
    """
    summary = execute_play(
        PlayRequest(game, frames, script, seed, drones, target, method, steps, level, last_frame), aside()
    )
    if as_json:
        say_json(summary.as_dict())
    else:
        summary.show(printer())


@app.command(rich_help_panel=story.MEASURE)
def bench(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME",
            help="A benchmark (see --list); all; or report: write the report of `all` again from the files in OUT.",
            autocompletion=completion.benches,
        ),
    ] = "",
    out: Annotated[Path, typer.Option(help="Folder for tables (CSV), pictures and reports.")] = Path("out/bench"),
    into: Annotated[Path | None, typer.Option(help="Folder for the report. [default: OUT] (report)")] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Run smaller measurements, to test the benchmark; their times mean little.")
    ] = False,
    listed: Annotated[bool, typer.Option("--list", help="List the benchmarks and exit.")] = False,
    as_json: AsJson = False,
) -> None:
    """Reproduce published experiments and compare with other libraries.

    Each benchmark writes tables and pictures. `carom bench all` runs all of them in turn, which takes an hour or more, and
    writes report.html and report.md: every figure of the papers beside the paper's claim, every comparison with another
    library, the machine and the versions. Pictures need carom[plot]; the other libraries are installed by carom[peers].

    Exit status: 2 for an error, or when a benchmark of `all` failed; 0 otherwise.
    """
    from carom.cli.bench import BenchRequest, measure

    raise typer.Exit(measure(BenchRequest(name, out, into, quick, listed, as_json)))


@app.command(rich_help_panel=story.CARE)
def doctor(
    no_test: Annotated[bool, typer.Option("--no-test", help="Skip the self-test.")] = False,
    as_json: AsJson = False,
) -> None:
    """Show the environment of carom, and run a self-test.

    Shows versions, cores and the kernel cache. The self-test takes ten seconds, plus the time to compile missing kernels.

    Exit status: 0 when all checks pass, 1 when something is missing or wrong.
    """
    from carom.cli.doctor import diagnose

    found = diagnose(aside(), test=not no_test)
    if as_json:
        say_json(found.as_dict())
    else:
        found.show(printer())
    raise typer.Exit(found.exit_code)


@app.command("warm-up", rich_help_panel=story.CARE)
def warm_up(
    everything: Annotated[
        bool, typer.Option("--everything", help="Also compile optional features: all broad phases, separation lists.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Compile kernels ahead of time, so that later runs start quickly.

    carom compiles its kernels when they are first needed and keeps them on disk. This command uses each feature once,
    which takes minutes the first time and seconds afterwards.
    """
    from carom.cli.warm import warm

    warmed = warm(aside(), everything=everything)
    if as_json:
        say_json(warmed.as_dict())
    else:
        warmed.show(printer())
