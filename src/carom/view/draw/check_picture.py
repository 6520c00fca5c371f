"""The picture of a checked animation: the bodies at their first contact, a close-up, and contacts over time."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from carom.deform.model.contact_log import DeformContacts
from carom.motion import Deforming, span_of
from carom.view.draw.camera import Camera
from carom.view.draw.look import HIT, INK, as_text, headline, light_rim, new_figure, plain_axes, save_figure
from carom.view.draw.near_triangles import around
from carom.view.draw.painter import Window, paint_triangles

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Array = NDArray[np.float64]

_PALETTE = np.array(
    [(0.25, 0.50, 0.68), (0.80, 0.68, 0.52), (0.35, 0.62, 0.55), (0.62, 0.52, 0.70), (0.70, 0.72, 0.74)]
)
_HIT_COLOURS = np.array([(0.88, 0.12, 0.13), (1.0, 0.55, 0.15)])
_UP = np.array([0.0, 0.0, 1.0])
_SAMPLES = 2  # Painted points per picture point, along a side
_FEW = 20_000  # Largest number of triangles whose edges are drawn in the whole view; more would hide the surface
_AROUND = 2.0  # Half size of the close-up, relative to the longest edge of the smaller triangle
_LEAST, _MOST = 0.004, 0.1  # Limits of the same, relative to the size of all bodies
_EYE, _CUBE = 4.0, 2.2
"""Distance of the camera from the contact, and half the side of the visible cube, relative to the same."""


def draw_check(
    picture: str | Path, bodies: Sequence[Deforming], contacts: DeformContacts, title: str, until: float
) -> None:
    """Draw the bodies at the first contact, or else at the end, as a PNG or in the format of the file name.

    z points up. CaromError if matplotlib is missing or the picture cannot be written.
    """
    figure = new_figure(15.0, 8.2, 120)
    grid = figure.add_gridspec(
        2, 2, width_ratios=(1.5, 1.0), height_ratios=(1.75, 1.0), left=0.012, right=0.98, top=0.895, bottom=0.08,
        wspace=0.13, hspace=0.2,
    )  # fmt: skip
    moment = float(contacts.times[0]) if len(contacts) else until
    triangles = [body.vertices_at(moment)[body.faces] for body in bodies]
    _draw_whole(figure.add_subplot(grid[:, 0]), triangles, contacts)
    if len(contacts):
        _draw_near(figure.add_subplot(grid[0, 1]), triangles, contacts)
    _draw_counts(figure.add_subplot(grid[1, 1]), bodies, contacts, until)
    headline(figure, title, _subtitle(bodies, contacts, until), 0.957, 0.917)
    save_figure(figure, picture)


def _draw_bodies(axes: Axes, triangles: Sequence[Array], camera: Camera) -> None:
    """Draw the triangles (m, 3, 3) of each body in its own colour, all within the frame."""
    corners = np.concatenate(triangles)
    seen, _ = camera.project(corners.reshape(-1, 3))
    low, high = seen.min(axis=0), seen.max(axis=0)
    window = _frame(axes, (low + high) / 2.0, 0.54 * (high - low))
    _show(axes, camera, corners, _colours(triangles), window, lines=len(corners) < _FEW)


def _outside_camera(corners: Array, turn: float) -> Camera:
    """Return a camera that sees all corners (n, 3) from outside, a little from above, turned about z by an angle, radians."""
    low, high = corners.min(axis=0), corners.max(axis=0)
    middle = (low + high) / 2.0
    away = np.array([np.cos(turn), np.sin(turn), 0.42])
    return Camera(middle + 1.7 * float(np.linalg.norm(high - low)) * away / np.linalg.norm(away), middle, _UP)


def _draw_whole(axes: Axes, triangles: Sequence[Array], contacts: DeformContacts) -> None:
    corners = np.concatenate(triangles)
    cameras = [
        _outside_camera(corners.reshape(-1, 3), turn) for turn in -1.0 + np.linspace(0.0, 2.0 * np.pi, 12, False)
    ]
    camera = cameras[0]
    if len(contacts):
        camera = min(cameras, key=lambda one: _in_front(one, corners, contacts.points[0]))
    _draw_bodies(axes, triangles, camera)
    if len(contacts):
        at, _ = camera.project(contacts.points[0])
        axes.plot(*at, "o", markersize=22, markerfacecolor="none", markeredgecolor=HIT, markeredgewidth=2.2, zorder=5)
        axes.plot(*at, "o", markersize=5, color="#ffd60a", markeredgecolor=INK, zorder=6)


def _in_front(camera: Camera, corners: Array, point: Array) -> int:
    """Return the number of triangles that hide the point from the camera, by their centres and extents."""
    picture, depth = camera.project(corners)
    at, far = camera.project(point)
    middle = picture.mean(axis=1)
    reach = np.linalg.norm(picture - middle[:, None], axis=2).max(axis=1)
    hides = (np.linalg.norm(middle - at, axis=1) < reach) & (depth.max(axis=1) < 0.999 * far)
    return int(hides.sum())


def _draw_near(axes: Axes, triangles: Sequence[Array], contacts: DeformContacts) -> None:
    """Draw the first contact obliquely to its normal: the surroundings, and both triangles in strong, transparent colours."""
    point, normal = contacts.points[0], contacts.normals[0]
    hits = [(int(contacts.body_a[0]), int(contacts.face_a[0])), (int(contacts.body_b[0]), int(contacts.face_b[0]))]
    struck = np.stack([triangles[body][face] for body, face in hits])
    edge = np.linalg.norm(struck - np.roll(struck, 1, axis=1), axis=2).max(axis=1).min()
    corners = np.concatenate(triangles)
    whole = float(np.linalg.norm(np.ptp(corners.reshape(-1, 3), axis=0)))
    reach = float(np.clip(_AROUND * edge, _LEAST * whole, _MOST * whole))
    near, whose = around(corners, point, _CUBE * reach)
    helper = np.eye(3)[int(np.argmin(np.abs(normal)))]
    across = np.cross(normal, helper)
    across /= np.linalg.norm(across)
    aside = np.cross(normal, across)
    cameras = []
    for turn in np.linspace(0.0, 2.0 * np.pi, 16, False):
        for tilt in (0.8, -0.8):
            look = np.cos(turn) * across + np.sin(turn) * aside + tilt * normal
            cameras.append(Camera(point + _EYE * reach * look / np.linalg.norm(look), point, _UP))
    camera = min(cameras, key=lambda one: (_in_front(one, near, point), one.eye[2] < point[2]))
    window = _frame(axes, camera.project(point)[0], np.full(2, 0.85 / _EYE))
    _show(axes, camera, near, _colours(triangles)[whose], window, lines=True)
    # On top, because one of the two is often behind the other; the larger one first.
    for triangle, colour in sorted(
        zip(struck, _HIT_COLOURS, strict=True), key=lambda one: -float(np.ptp(one[0], 0).max())
    ):
        pieces, _ = around(triangle[None], point, _CUBE * reach)
        outline = np.concatenate([*pieces[:1], pieces[1:, 2]])  # a fan
        axes.fill(*camera.project(outline)[0].T, facecolor=(*colour, 0.8), edgecolor=tuple(0.75 * colour),
                  linewidth=2.2, zorder=4)  # fmt: skip
    (start, stop), _ = camera.project(np.stack([point, point + 0.5 * reach * normal]))
    arrow = {"arrowstyle": "-|>,head_width=0.35,head_length=0.7", "color": "#101820", "linewidth": 2.2,
             "shrinkA": 0.0, "shrinkB": 0.0, "path_effects": light_rim(1.6)}  # fmt: skip
    axes.annotate("", stop, start, arrowprops=arrow, zorder=5)
    axes.plot(*start, "o", color="#ffd60a", markeredgecolor="#101820", markersize=8.5, markeredgewidth=1.5, zorder=6)


def _colours(triangles: Sequence[Array]) -> Array:
    """Return colours (m, 3) of all triangles by body."""
    return np.concatenate([np.tile(_PALETTE[k % len(_PALETTE)], (len(t), 1)) for k, t in enumerate(triangles)])


def _show(axes: Axes, camera: Camera, corners: Array, colours: Array, window: Window, *, lines: bool) -> None:
    box = axes.get_window_extent()
    size = round(_SAMPLES * box.width), round(_SAMPLES * box.height)
    picture = paint_triangles(camera, corners, colours, window, size, lines=lines)
    axes.imshow(picture, origin="lower", extent=window, aspect="auto", interpolation="antialiased", zorder=2)


def _frame(axes: Axes, middle: Array, half: Array) -> Window:
    """Show `half` around `middle` at equal scales for any shape of the axes; returns what is shown."""
    box = axes.get_window_extent()
    wide = box.width / box.height
    tall = max(float(half[1]), float(half[0]) / wide)
    window = (middle[0] - tall * wide, middle[0] + tall * wide, middle[1] - tall, middle[1] + tall)
    axes.set_xlim(*window[:2])
    axes.set_ylim(*window[2:])
    axes.set_facecolor("#ecf1f5")
    axes.set_xticks([])
    axes.set_yticks([])
    axes.spines[:].set_color("#c8d2da")
    return window


def _draw_counts(axes: Axes, bodies: Sequence[Deforming], contacts: DeformContacts, until: float) -> None:
    """Draw the number of contacts so far for each pair of bodies."""
    begin, _ = span_of(bodies)
    axes.set_xlim(begin, until)
    axes.set_xlabel("time (s)", color=INK)
    axes.set_ylabel("contacts begun", color=INK)
    pairs = np.unique(np.column_stack([contacts.body_a, contacts.body_b]), axis=0)
    for k, (a, b) in enumerate(pairs):
        times = contacts.times[(contacts.body_a == a) & (contacts.body_b == b)]
        steps = np.concatenate([[begin], times, [until]])
        counts = np.concatenate([np.arange(len(times) + 1), [len(times)]])
        label = f"{_name(bodies, a)} with itself" if a == b else f"{_name(bodies, a)} and {_name(bodies, b)}"
        axes.step(
            steps, counts, where="post", color=_PALETTE[k % len(_PALETTE)] * 0.85, linewidth=2.0, label=as_text(label)
        )
    if len(pairs):
        axes.axvline(float(contacts.times[0]), color=HIT, linewidth=1.2, label="first contact")
        # Above the axes, where it hides neither a curve nor the line of the first contact.
        axes.legend(fontsize=9, loc="lower left", bbox_to_anchor=(0.0, 1.0), borderaxespad=0.2, ncols=3, frameon=False,
                    columnspacing=1.2)  # fmt: skip
    else:
        axes.set_yticks([0])
    axes.set_ylim(bottom=0.0)
    plain_axes(axes)


def _name(bodies: Sequence[Deforming], k: int) -> str:
    """Return the name of a body, or its number."""
    return bodies[k].name or f"body {k}"


def _subtitle(bodies: Sequence[Deforming], contacts: DeformContacts, until: float) -> str:
    if len(contacts) == 0:
        return f"no contact up to {until:g} s: the bodies at the end"
    first = contacts[0]
    who = [
        f"{_name(bodies, b)} (triangle {f})" for b, f in ((first.body_a, first.face_a), (first.body_b, first.face_b))
    ]
    return f"first contact at t = {first.time:.9g} s: {who[0]} and {who[1]}, {first.kind}; arrow: contact normal"
