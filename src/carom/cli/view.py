"""`carom view`: make the replay of a run, and write it to a file or serve it to a browser on this machine."""

from __future__ import annotations

import dataclasses
import webbrowser
from pathlib import Path

import typer

from carom.cli.terminal.output import aside, say_json, working
from carom.validate import counted
from carom.view import PageServer, Replay, check_page, page_html, replay_file, write_page


@dataclasses.dataclass(frozen=True)
class ViewRequest:
    """The options of `carom view`; None for options that were not given."""

    run: Path
    html: Path | None = None
    since: float | None = None
    until: float | None = None
    port: int = 0
    browser: bool = True
    as_json: bool = False
    sphere_trees: int | None = None  # Levels of the sphere-trees of meshes to show


def show(request: ViewRequest) -> None:
    """Run the command; returns at Ctrl-C, or at once if the page is written to a file. CaromError if it cannot be done."""
    if request.html is not None:
        check_page(request.html)
    trees = "" if request.sphere_trees is None else ", building sphere-trees"
    with working(aside(), f"repeating the run{trees}"):
        replay = replay_file(request.run, request.since, request.until, request.sphere_trees)
    if request.html is not None:
        size = write_page(replay, request.html)
        _say(request, replay, {"html": str(request.html), "bytes": size}, f"replay: {request.html}")
        return
    with PageServer(page_html(replay), request.port) as server:
        _say(request, replay, {"url": server.url}, f"replay at {server.url}\nCtrl-C ends it")
        if request.browser:
            webbrowser.open(server.url)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            return


def _say(request: ViewRequest, replay: Replay, where: dict[str, object], words: str) -> None:
    """Print the address or file of the page, as text or JSON."""
    if request.as_json:
        about = {"title": replay.title, "bodies": len(replay), "contacts": len(replay.contacts)}
        say_json({**about, "begin": replay.begin, "end": replay.end, **where})
    else:
        bodies, contacts = counted(len(replay), "body", "bodies"), counted(len(replay.contacts), "contact")
        span = f"{replay.begin:g} to {replay.end:g} s"
        typer.echo(f"{replay.title}, {span}: {bodies}, {contacts}\n{words}")
