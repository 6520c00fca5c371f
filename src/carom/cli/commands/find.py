"""Commands that find contacts: `carom run`, `check`, `scenes` and `play`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from carom.cli.check import FORMATS, CheckRequest
from carom.cli.check import execute as execute_check
from carom.cli.options import AsJson, Html, Picture, SphereTrees, UnpackLimit, argument, option
from carom.cli.play import PlayRequest
from carom.cli.play import execute as execute_play
from carom.cli.run import RunRequest, execute
from carom.cli.scene_list import scenes_as_dict, show_scenes
from carom.cli.terminal import completion
from carom.cli.terminal.output import aside, printer, say_json, say_result
from carom.engine.broad_phases import BROAD_PHASES
from carom.queues import METHODS
from carom.scenes import ANIMATIONS, scene_schema


def _given(**options: Any) -> dict[str, Any]:
    """The options that were given on the command line."""
    return {name: value for name, value in options.items() if value is not None}


def run(
    scene: Annotated[
        str, argument("SCENE", "A built-in scene (see `carom scenes`) or a .toml scene file.", completion.scenes)
    ],
    objects: Annotated[int | None, option("Number of bodies.")] = None,
    density: Annotated[
        float | None,
        option("Total volume of bounding spheres / volume of the box, up to 0.15 for many bodies (rings, models)."),
    ] = None,
    packing: Annotated[float | None, option("Total volume of spheres / volume of the box (gas).")] = None,
    periodic: Annotated[bool, option("Periodic boundary conditions instead of walls (gas).", "--periodic")] = False,
    restitution: Annotated[float | None, option("Coefficient of restitution, 0 to 1 (gas).")] = None,
    speed: Annotated[float | None, option("Speed of the cue ball, m/s (billiards).")] = None,
    seed: Annotated[int | None, option("Seed of the random generator.")] = None,
    until: Annotated[float | None, option("End of the run, simulated s. [default: the scene's]")] = None,
    broad: Annotated[
        str | None, option(f"Broad phase: {', '.join(BROAD_PHASES)}. [default: auto]", words=completion.broad_phases)
    ] = None,
    queue: Annotated[
        str | None, option(f"Event queue: {', '.join(METHODS)}. [default: tournament]", words=completion.queues)
    ] = None,
    hz: Annotated[float | None, option("Polls per simulated second; they change no contact.")] = None,
    out: Annotated[Path | None, option("Run file to write. [default: SCENE.duckdb, numbered if it exists]")] = None,
    resume: Annotated[bool, option("Continue the run file OUT from its last checkpoint.", "--resume")] = False,
    no_log: Annotated[bool, option("Write no run file.", "--no-log")] = False,
    checkpoint_every: Annotated[
        float | None, option("Simulated seconds between checkpoints. [default: a tenth of the run]")
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
    request = RunRequest(
        scene=scene,
        parameters=_given(
            objects=objects, density=density, packing=packing, periodic=1 if periodic else None, restitution=restitution,
            speed=speed, seed=seed,
        ),
        until=until,
        world=_given(broad=broad, queue=queue),
        hz=hz,
        out=out,
        resume=resume,
        log=not no_log,
        checkpoint_every=checkpoint_every,
        picture=picture,
        html=html,
        sphere_trees=sphere_trees,
    )  # fmt: skip
    say_result(execute(request, aside()), as_json)


def check(
    targets: Annotated[
        list[str], argument("FILE", f"Animation files ({FORMATS}), or {', '.join(ANIMATIONS)}.", completion.animations)
    ],
    self_contact: Annotated[bool, option("Find contacts of a body with itself.", "--self/--no-self")] = True,
    until: Annotated[float | None, option("End of the check, s. [default: the last key]")] = None,
    fps: Annotated[float | None, option("Frames per second, for files of frames. [default: 24]")] = None,
    mesh: Annotated[Path | None, option("Mesh file with the faces of a .pc2 or .mdd point cache.")] = None,
    first: Annotated[int, option("Number of contacts to list, earliest first.")] = 10,
    every: Annotated[
        bool, option("Report a pair in each interval in which it touches, not only at its first contact.", "--every")
    ] = False,
    faces: Annotated[int | None, option("Triangles of a built-in animation.")] = None,
    keys: Annotated[int | None, option("Keys of a built-in animation.")] = None,
    seed: Annotated[int | None, option("Seed of a built-in animation.")] = None,
    out: Annotated[Path | None, option("Run file to write. [default: none]")] = None,
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
    request = CheckRequest(
        targets=targets,
        parameters=_given(faces=faces, keys=keys, seed=seed),
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
    say_result(findings, as_json)
    raise typer.Exit(findings.exit_code)


def scenes(
    schema: Annotated[bool, option("Print the JSON schema of scene files instead.", "--schema")] = False,
    as_json: AsJson = False,
) -> None:
    """List the built-in scenes and animations, and their options."""
    if schema:
        say_json(scene_schema())
    elif as_json:
        say_json(scenes_as_dict())
    else:
        show_scenes(printer())


def play(
    game: Annotated[
        str, argument("GAME", "ships: fly among ten drones, all shaped like desk lamps.", completion.games)
    ],
    frames: Annotated[int | None, option("Run this number of frames without a terminal.")] = None,
    script: Annotated[Path | None, option("Run a script without a terminal: lines such as `30 thrust left`.")] = None,
    seed: Annotated[int, option("Seed of the drones' actions.")] = 0,
    drones: Annotated[int, option("Number of drones.")] = 10,
    target: Annotated[
        float, option("Target duration of a frame, ms. [default: 33.3, a thirtieth of a second]", show_default=False)
    ] = 1000.0 / 30.0,
    method: Annotated[
        str, option("bounds (space-time bounds, sphere-trees) or grid-bsp (Turk's grid, BSP-trees).")
    ] = "bounds",
    steps: Annotated[
        int | None, option("Limit detection by tested pairs of spheres per frame instead of by time.")
    ] = None,
    level: Annotated[int | None, option("Limit detection by the level of the sphere-trees instead of by time.")] = None,
    last_frame: Annotated[bool, option("Also print the last frame as text.", "--last-frame")] = False,
    as_json: AsJson = False,
) -> None:
    """Fly a spaceship among drones.

    Collision detection uses the time that remains in each frame, and ships that collide jump back to their starts. Arrows
    turn, space gives thrust, a and d roll, h returns the ship to its start, q quits. With --steps or --level a run without
    a terminal gives the same frames every time.
    """
    request = PlayRequest(game, frames, script, seed, drones, target, method, steps, level, last_frame)
    say_result(execute_play(request, aside()), as_json)
