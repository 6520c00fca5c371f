"""The picture of a run: the scene at a contact, and contacts over time."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from carom.errors import RunFileError
from carom.runfile import RunFile
from carom.scenes import Scene, stored_scene, stored_world
from carom.types import ContactLog
from carom.validate import counted
from carom.view.draw.look import HIT, INK, QUIET, figures, headline, new_figure, plain_axes, save_figure, say_mean
from carom.view.draw.stage import Stage, draw_stage

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclasses.dataclass(frozen=True)
class _Moment:
    """The contact that is shown."""

    row: int
    time: float
    a: int
    b: int


def draw_run(run: str | Path, picture: str | Path) -> None:
    """Draw the run file as a PNG or in the format of the file name.

    RunFileError if the run cannot be read, CaromError if matplotlib is missing or the picture cannot be written.
    """
    figure = new_figure(15.0, 7.6, 140)
    with RunFile.read(run) as file:
        scene = stored_scene(file)
        log = file.contacts()
        end = file.checkpoints()[-1].time
        moment = _choose(scene, log)
        positions, orientations = _poses_at(file, scene, end if moment is None else moment.time)
    grid = figure.add_gridspec(
        2, 2, width_ratios=(1.75, 1.0), height_ratios=(1.6, 1.0), left=0.012, right=0.975, top=0.90, bottom=0.085,
        wspace=0.14, hspace=0.16,
    )  # fmt: skip
    contact = None if moment is None else (moment.a, moment.b, log.points[moment.row], log.normals[moment.row])
    stage = Stage(scene.shapes, scene.shape_index, positions, orientations, contact, _up(scene))
    draw_stage(figure.add_subplot(grid[:, 0]), stage)
    top = figure.add_subplot(grid[0, 1])
    _draw_counts(top, figure.add_subplot(grid[1, 1], sharex=top), log, end, moment)
    figure.align_ylabels()
    headline(figure, _title(scene, log, end), _subtitle(scene, log, moment), 0.955, 0.918)
    save_figure(figure, picture)


def _choose(scene: Scene, log: ContactLog) -> _Moment | None:
    """Select a contact of the largest pair of moving bodies; else of a body with a wall."""
    if len(log) == 0:
        return None
    size = np.array([min(shape.bounding_sphere()[1], 1e300) for shape in scene.shapes])[scene.shape_index]
    size[np.isinf(scene.masses)] = 0.0
    row = int(np.argmax(np.minimum(size[log.a], size[log.b])))
    return _Moment(row, float(log.times[row]), int(log.a[row]), int(log.b[row]))


def _poses_at(file: RunFile, scene: Scene, time: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return positions and orientations of all bodies at `time`, by repeating the run from the checkpoint before it."""
    before = [saved for saved in file.checkpoints() if saved.time <= time][-1]
    world = stored_world(file, scene, before.number)
    if time > world.time:
        world.advance(time)
    return world.positions(time), world.orientations(time)


def _up(scene: Scene) -> NDArray[np.float64]:
    """Return the direction opposite to the acceleration of most bodies, or z without accelerations."""
    pull = scene.accelerations[np.isfinite(scene.masses)].sum(axis=0)
    size = float(np.linalg.norm(pull))
    return np.asarray(-pull / size) if size > 0.0 else np.array([0.0, 0.0, 1.0])


def _draw_counts(top: Axes, bottom: Axes, log: ContactLog, end: float, moment: _Moment | None) -> None:
    """Draw contacts so far above, contacts per second below."""
    from matplotlib.ticker import MaxNLocator

    times = np.asarray(log.times)
    if end <= 0.0:
        raise RunFileError("the run has no length: nothing to draw")
    steps = np.concatenate([[0.0], times, [end]])
    counts = np.concatenate([np.arange(len(times) + 1), [len(times)]])
    top.step(steps, counts, where="post", color="#2a6f97", linewidth=2.0)
    top.fill_between(steps, counts, step="post", color="#2a6f97", alpha=0.12, linewidth=0)
    n_bins = int(np.clip(len(times) / 4, 10, 60))
    rate, edges = np.histogram(times, bins=n_bins, range=(0.0, end))
    width = end / n_bins
    bottom.bar(edges[:-1], rate / width, width=width * 0.86, align="edge", color="#61a5c2")
    mean = len(times) / end
    bottom.axhline(mean, color=QUIET, linewidth=1.2, linestyle=(0, (4, 3)))
    say_mean(bottom, f"{figures(mean)} / s")
    if moment is not None:
        top.plot([moment.time], [moment.row + 1], "o", color=HIT, markersize=8, markeredgecolor="white", zorder=5)
        top.annotate("the contact shown", (moment.time, moment.row + 1), xytext=_label_offset(moment, end, len(times)),
                     textcoords="offset points", fontsize=10.5, color=HIT, va="center",
                     ha="left" if moment.time < 0.6 * end else "right")  # fmt: skip
        bottom.axvline(moment.time, color=HIT, linewidth=1.2)
    top.set_ylabel("contacts so far", color=INK)
    bottom.set_ylabel("contacts per second", color=INK)
    bottom.set_xlabel("simulated time (s)", color=INK)
    top.set_xlim(0.0, end)
    top.set_ylim(0.0, max(len(times), 1) * 1.08)
    bottom.set_ylim(0.0, max(float((rate / width).max()), mean) * 1.15 or 1.0)
    top.tick_params(labelbottom=False)
    top.yaxis.set_major_locator(MaxNLocator(integer=True))
    for axes in (top, bottom):
        plain_axes(axes)


def _label_offset(moment: _Moment, end: float, total: int) -> tuple[float, float]:
    """Return the offset of a label from its dot: right below the curve, or left above it; never below the axis."""
    if moment.time >= 0.6 * end:
        return -12.0, 10.0
    return 12.0, (-10.0 if moment.row > 0.1 * total else 8.0)


def _title(scene: Scene, log: ContactLog, end: float) -> str:
    n = int(np.isfinite(scene.masses).sum())
    return f"{scene.name}: {counted(n, 'moving body', 'moving bodies')}, {counted(len(log), 'contact')} in {end:g} s"


def _subtitle(scene: Scene, log: ContactLog, moment: _Moment | None) -> str:
    if moment is None:
        return "no contact yet: the scene at the end"
    who = " and ".join(scene.names[k] or f"body {k}" for k in (moment.a, moment.b))
    speed = float(log.speeds[moment.row])
    return f"{who} touch at t = {moment.time:.9g} s, closing at {speed:.4g} m/s; arrow: contact normal"
