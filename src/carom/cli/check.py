"""`carom check`: read or make an animation, find its contacts, store and print them."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from rich.console import Console

from carom import validate
from carom.cli.findings import Findings
from carom.cli.terminal.output import check_pictures, working
from carom.cli.terminal.progress import interval_bar
from carom.deform import check
from carom.errors import InvalidInputError
from carom.io import ANIMATION_FORMATS, load_animation
from carom.motion import Deforming, span_of
from carom.runfile import CheckFile
from carom.scenes import ANIMATIONS, animation


@dataclasses.dataclass(frozen=True)
class CheckRequest:
    """The options of `carom check`; None for options that were not given."""

    targets: Sequence[str]  # Files and patterns, or the name of one built-in animation
    parameters: Mapping[str, Any] = dataclasses.field(default_factory=dict)  # Parameters of a built-in animation
    mesh: Path | None = None
    fps: float | None = None
    until: float | None = None
    self_contact: bool = True
    every: bool = False
    first: int = 10
    out: Path | None = None
    picture: Path | None = None
    html: Path | None = None

    def __post_init__(self) -> None:
        if self.first < 0:
            raise InvalidInputError(f"--first is {self.first}; expected 0 or more")
        if self.built_in is None:
            for name in self.parameters:
                raise InvalidInputError(f"--{name} is for built-in animations ({', '.join(ANIMATIONS)}), not for files")
        elif self.mesh is not None or self.fps is not None:
            raise InvalidInputError(f"--mesh and --fps are for files, not for the built-in {self.built_in}")

    @property
    def built_in(self) -> str | None:
        """The name of the built-in animation, or None. An existing file of that name takes precedence."""
        name = self.targets[0]
        return name if len(self.targets) == 1 and name in ANIMATIONS and not Path(name).exists() else None


def execute(request: CheckRequest, progress: Console) -> Findings:
    """Run the command; progress is shown on that console if it is a terminal. CaromError if it cannot be done."""
    check_pictures(request.picture, request.html)
    if request.out is not None:
        CheckFile.refuse_existing(request.out)
    bodies = _bodies(request, progress)
    begin = time.perf_counter()
    with interval_bar(progress) as show:
        contacts = check(bodies, request.until, self_collision=request.self_contact, every=request.every, progress=show)
    seconds = time.perf_counter() - begin
    _, last = span_of(bodies)
    findings = Findings(
        title=request.built_in or validate.few([body.name or "mesh" for body in bodies], 3),
        bodies=bodies,
        contacts=contacts,
        until=last if request.until is None else min(last, request.until),
        listed=request.first,
        seconds=seconds,
        file=request.out,
        picture=request.picture,
        html=request.html,
    )
    if request.out is not None:
        CheckFile.write(request.out, bodies, contacts, source=_source(request), version=version("carom"))
    if request.picture is not None:
        from carom.view import draw_check

        draw_check(request.picture, bodies, contacts, findings.headline(), findings.until)
    if request.html is not None:
        from carom.view import replay_check, write_page

        write_page(replay_check(findings.title, bodies, contacts, until=request.until), request.html)
    return findings


def _bodies(request: CheckRequest, console: Console) -> list[Deforming]:
    if request.built_in is not None:
        with working(console, f"making {request.built_in}"):
            return animation(request.built_in, **request.parameters)
    lone = request.targets[0]
    if len(request.targets) == 1 and not Path(lone).exists() and Path(lone).suffix == "":
        raise InvalidInputError(f"{lone}: no such file, and {validate.unknown_name('animation', lone, ANIMATIONS)}")
    notices: list[str] = []
    with working(console, "reading"):
        bodies = load_animation(request.targets, mesh=request.mesh, fps=request.fps, notice=notices.append)
    for notice in notices:
        console.print(f"carom: {notice}", soft_wrap=True)
    return bodies


def _source(request: CheckRequest) -> dict[str, Any]:
    """Return what was checked, as plain values."""
    about: dict[str, Any] = {"until": request.until, "self_contact": request.self_contact, "every": request.every}
    if request.built_in is not None:
        built_in = ANIMATIONS[request.built_in]
        parameters = {key: built_in.default(key) for key in built_in.ranges} | dict(request.parameters)
        return {"animation": request.built_in, "parameters": parameters, **about}
    mesh = None if request.mesh is None else str(request.mesh)
    return {"files": list(request.targets), "mesh": mesh, "fps": request.fps, **about}


FORMATS = ", ".join(ANIMATION_FORMATS)
"""File name endings that can be checked, for the help."""
