"""`carom run`: make or continue a run, show its progress, and summarise it."""

from __future__ import annotations

import contextlib
import dataclasses
import math
import shlex
import time
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

from rich.console import Console

from carom.cli.summary import Summary, total_energy
from carom.cli.terminal.interrupts import INTERRUPTS
from carom.cli.terminal.output import check_pictures, working
from carom.cli.terminal.progress import RunBar
from carom.engine.broad_phases import title_of
from carom.errors import InvalidInputError, RunFileError, SceneError
from carom.physics import GasMeter
from carom.runfile import Recorder, RunFile
from carom.scenes import BUILT_IN, BuiltIn, Scene, scene, stored_scene, stored_world
from carom.scenes.gas import gas_volumes
from carom.view import check_sphere_trees, draw_run, replay_file, write_page
from carom.world.world import World

_DEFAULTS = {"broad": "auto", "queue": "tournament"}
_CHECKPOINTS = 10  # Default number of checkpoints of a run


_LATEST = 1e9  # Largest length of a run, simulated seconds: some thirty years


@dataclasses.dataclass(frozen=True)
class RunRequest:
    """The options of `carom run`; None for options that were not given."""

    scene: str
    parameters: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    until: float | None = None
    world: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    hz: float | None = None
    out: Path | None = None
    resume: bool = False
    log: bool = True
    checkpoint_every: float | None = None
    picture: Path | None = None
    html: Path | None = None
    sphere_trees: int | None = None  # Levels of the sphere-trees of meshes in the replay

    def __post_init__(self) -> None:
        for option in ("until", "hz", "checkpoint_every"):
            value = getattr(self, option)
            if value is not None and not (math.isfinite(value) and value > 0.0):
                raise InvalidInputError(f"--{option.replace('_', '-')} is {value}; expected a finite number above 0")
        if self.resume and self.out is None:
            raise RunFileError("--resume continues a run file: say which with --out FILE")
        if not self.log and (self.resume or self.out or self.picture or self.html):
            raise RunFileError("--no-log writes no run file: leave out --out, --resume, --picture and --html")
        if self.sphere_trees is not None and self.html is None:
            raise InvalidInputError("--sphere-trees are shown in the replay: say where to write it with --html FILE")


@dataclasses.dataclass
class _Job:
    """A world and the destination of its contacts."""

    scene: Scene
    world: World
    options: Mapping[str, Any]
    file: RunFile | None
    until: float
    interval: float
    contacts_before: int


def execute(request: RunRequest, progress: Console) -> Summary:
    """Run the command; a progress bar is shown on `progress` if that is a terminal. CaromError if it cannot be done."""
    check_pictures(request.picture, request.html)
    made: list[Path] = [] if request.out is None else [request.out]
    with INTERRUPTS.ending_as(lambda: f"interrupted; {_kept(request, made)}"):
        return _run(request, progress, made)


def _run(request: RunRequest, progress: Console, made: list[Path]) -> Summary:
    """Run to the end, write the requested files, and summarise. The run file is added to `made` once it has a name."""
    job = _continued(request) if request.resume else _fresh(request)
    if job.file is not None:
        made.append(job.file.path)
    with contextlib.nullcontext() if job.file is None else job.file:
        first = job.world.time
        wall, cpu = time.perf_counter(), time.process_time()
        with RunBar(progress, job.scene.name, begin=first, until=job.until, contacts=job.contacts_before) as bar:
            meter = _meter(job)
            recorder = Recorder(job.world, job.file, on_step=bar.update, on_log=None if meter is None else meter.add)
            recorder.run(job.until, job.interval, request.hz)
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    if request.picture is not None and job.file is not None:
        draw_run(job.file.path, request.picture)
    if request.html is not None and job.file is not None:
        with working(progress, "writing the replay"):
            write_page(replay_file(job.file.path, sphere_trees=request.sphere_trees), request.html)
    scene = job.scene
    start = total_energy(
        scene.masses, scene.positions, scene.velocities, scene.accelerations, job.world.inertias, scene.spins
    )
    return Summary(
        scene=job.scene.name,
        parameters=job.scene.parameters,
        options=job.options,
        bodies=len(job.scene),
        half_spaces=job.scene.half_spaces,
        began=first,
        ended=job.world.time,
        contacts=recorder.contacts,
        all_contacts=job.contacts_before + recorder.contacts,
        stats=job.world.stats,
        wall_seconds=wall,
        cpu_seconds=cpu,
        energy_start=start,
        energy_end=_energy_now(job),
        conserves=job.scene.response["kind"] == "elastic" and job.scene.response["restitution"] == 1.0,
        file=None if job.file is None else job.file.path,
        picture=request.picture,
        html=request.html,
        gas=None if meter is None or job.world.time == first else meter.report(),
        broad=title_of(job.world.broad_phase),
    )


def _kept(request: RunRequest, made: list[Path]) -> str:
    """Return what an interrupted run has stored, and how to continue it."""
    if not made or not made[-1].exists():
        return "nothing is kept"
    path = made[-1]
    with RunFile.read(path) as file:
        last = file.checkpoints()[-1].time
    again = shlex.join(["carom", "run", request.scene, "--out", str(path), "--resume"])
    return f"{path} keeps the run up to {last:g} s, and `{again}` goes on from there"


def _meter(job: _Job) -> GasMeter | None:
    """Return a meter of the gas, if the scene is one."""
    # A scene file may also be called "gas".
    if job.scene.name != "gas" or not job.scene.parameters.get("packing") or job.scene.parameters["objects"] < 2:
        return None
    return GasMeter(job.world, *gas_volumes(job.scene.parameters))


def _fresh(request: RunRequest) -> _Job:
    """Return a new world, and a new run file unless none is wanted."""
    out = request.out
    made = scene(request.scene, **request.parameters)
    _check_shown(request, made)
    until = made.until if request.until is None else request.until
    made = dataclasses.replace(made, until=until)
    options = {**_DEFAULTS, **made.world, **request.world}
    interval = request.checkpoint_every or until / _CHECKPOINTS
    _check_pace(request, until, interval)
    if out is not None:
        RunFile.refuse_existing(out)
    world = made.build(profile=True, **options)
    file = None
    if request.log:
        file = RunFile.create(
            Path(f"{Path(request.scene).stem}.duckdb") if out is None else out,
            made.record(),
            interval=interval,
            world=options,
            state=world.snapshot(),
            version=version("carom"),
            number=out is None,
        )
    return _Job(made, world, options, file, until, interval, 0)


def _continued(request: RunRequest) -> _Job:
    """Return the world of a run file at its last checkpoint; RunFileError if the request is for another run."""
    assert request.out is not None
    with RunFile.read(request.out) as file:
        made = stored_scene(file)
        options = file.world_options
        _check_same_run(request, made, options)
        _check_shown(request, made)
        world = stored_world(file, made, profile=True)
        until = made.until if request.until is None else request.until
        interval = request.checkpoint_every or file.interval
        _check_pace(request, until, interval)
        contacts = file.checkpoints()[-1].contacts
        return _Job(made, world, options, file.writable(), until, interval, contacts)


def _check_pace(request: RunRequest, until: float, interval: float) -> None:
    """Raise InvalidInputError if the run, its polls or its checkpoints would not end in reasonable time."""
    if until > _LATEST:
        raise InvalidInputError(
            f"--until is {until:g}; expected at most {_LATEST:g}: times beyond have no 7 digits after the point"
        )
    try:
        Recorder.check_pace(until, interval, request.hz)
    except InvalidInputError as error:
        raise InvalidInputError(f"--{error}".replace("checkpoint interval", "checkpoint-every")) from None


def _check_shown(request: RunRequest, made: Scene) -> None:
    """Raise InvalidInputError if the replay cannot show what is requested."""
    if request.sphere_trees is not None:
        check_sphere_trees(made.name, made.shapes, request.sphere_trees)


def _check_same_run(request: RunRequest, made: Scene, options: Mapping[str, Any]) -> None:
    asked, path = Path(request.scene), request.out
    from_file = made.parameters.get("file")
    if (asked.name != from_file) if asked.suffix == ".toml" else (request.scene != made.name or from_file):
        raise RunFileError(f"{path}: holds a run of {from_file or made.name}, not of {request.scene}")
    if request.scene in BUILT_IN:
        _check_parameters(path, BUILT_IN[request.scene], made)
    for key, value in request.parameters.items():
        if value != made.parameters.get(key):
            raise RunFileError(f"{path}: was run with {key} = {made.parameters.get(key)}, not {value}")
    for key, value in request.world.items():
        if value != options.get(key):
            raise RunFileError(f"{path}: was run with --{key} {options.get(key)}, not {value}")


def _check_parameters(path: Path | None, built_in: BuiltIn[Scene], made: Scene) -> None:
    """Raise RunFileError unless the scene in the run file has the parameters of carom's scene."""
    try:
        built_in.checked(made.name, made.parameters)
    except SceneError as error:
        raise RunFileError(f"{path}: the run file is damaged: {error}") from None
    if missing := sorted(set(built_in.ranges) - set(made.parameters)):
        raise RunFileError(f"{path}: the run file is damaged: scene {made.name} lacks its parameter {missing[0]}")


def _energy_now(job: _Job) -> float:
    world, t = job.world, job.world.time
    masses, accelerations = job.scene.masses, job.scene.accelerations
    return total_energy(masses, world.positions(t), world.velocities(t), accelerations, world.inertias, world.spins)
