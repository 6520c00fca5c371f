"""The result of a check, as tables and as JSON."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from carom.cli.terminal.output import rows_table, say_files
from carom.deform.model.contact_log import DeformContact, DeformContacts
from carom.motion import Deforming
from carom.validate import counted

_BODIES = 20  # Largest number of bodies that are described one by one
_SACRIFICES = (
    ((), False),
    (("m/s",), False),
    (("m/s", "how"), False),
    (("m/s", "how"), True),
    (("m/s", "how", "point, m"), False),
    (("m/s", "how", "point, m"), True),
)
"""Columns that narrow tables omit, and whether their times are shortened; the first that fits is used."""
_ANY_WIDTH = 10_000  # Width in which every table fits, to measure tables


@dataclasses.dataclass(frozen=True, eq=False)
class Findings:
    """The contacts of an animation up to `until`, s."""

    title: str  # The built-in animation, or the bodies
    bodies: Sequence[Deforming]
    contacts: DeformContacts
    until: float
    listed: int  # Number of contacts that are listed, from the first on
    seconds: float
    file: Path | None
    picture: Path | None
    html: Path | None = None

    @property
    def exit_code(self) -> int:
        """1 if anything touches, else 0."""
        return int(len(self.contacts) > 0)

    def name(self, body: int) -> str:
        """Return the name of a body."""
        return self.bodies[body].name or f"body {body}"

    def headline(self) -> str:
        """Return what was checked and the number of contacts."""
        faces = sum(len(body.faces) for body in self.bodies)
        count = len(self.contacts)
        found = "nothing touches" if count == 0 else counted(count, "contact")
        return f"{self.title}: {found} of {counted(faces, 'triangle')} up to {self.until:.6g} s"

    def pairs(self) -> list[dict[str, Any]]:
        """Return the number and the first time of the contacts of each pair of bodies, earliest pair first."""
        both = np.column_stack([self.contacts.body_a, self.contacts.body_b])
        unique, first, count = np.unique(both, axis=0, return_index=True, return_counts=True)
        return [
            {
                "a": self.name(int(unique[k, 0])),
                "b": self.name(int(unique[k, 1])),
                "contacts": int(count[k]),
                "first_time": float(self.contacts.times[first[k]]),
            }
            for k in np.argsort(first)
        ]

    def as_dict(self) -> dict[str, Any]:
        """Return all of it, for JSON."""
        listed = [self.contacts[k] for k in range(min(self.listed, len(self.contacts)))]
        return {
            "title": self.title,
            "bodies": [
                {
                    "name": self.name(k),
                    "vertices": int(body.vertices.shape[1]),
                    "faces": len(body.faces),
                    "keys": 1 if body.is_still else len(body.times),
                    "first_time": float(body.times[0]),
                    "last_time": float(body.times[-1]),
                    "still": body.is_still,
                }
                for k, body in enumerate(self.bodies)
            ],
            "until": self.until,
            "touches": len(self.contacts) > 0,
            "contacts": len(self.contacts),
            "first_time": float(self.contacts.times[0]) if len(self.contacts) else None,
            "pairs": self.pairs(),
            "listed": [self._contact(contact) for contact in listed],
            "stats": dataclasses.asdict(self.contacts.stats),
            "seconds": self.seconds,
            "file": self.file,
            "picture": self.picture,
            "html": self.html,
        }

    def _contact(self, contact: DeformContact) -> dict[str, Any]:
        return dataclasses.asdict(contact) | {"name_a": self.name(contact.body_a), "name_b": self.name(contact.body_b)}

    def show(self, console: Console) -> None:
        """Print the bodies, the headline, the first contacts and the pairs of bodies."""
        self._show_bodies(console)
        console.print(self.headline(), style="bold", soft_wrap=True)
        if len(self.contacts):
            self._show_first(console)
            self._show_pairs(console)
        stats = self.contacts.stats
        console.print(
            f"{counted(stats.intervals, 'interval')}, {counted(stats.pair_tests, 'pair')} of triangles, {self.seconds:.3g} s",
            style="dim", highlight=False, soft_wrap=True,
        )  # fmt: skip
        say_files(console, {"run file": self.file, "picture": self.picture, "replay": self.html})

    def _show_bodies(self, console: Console) -> None:
        for k, body in enumerate(self.bodies[:_BODIES]):
            span = f"{len(body.times):,} keys, {body.times[0]:.6g} to {body.times[-1]:.6g} s"
            about = f"{counted(len(body.faces), 'triangle')}, {'still' if body.is_still else span}"
            console.print(f"{self.name(k)}: {about}", soft_wrap=True)
        if len(self.bodies) > _BODIES:
            console.print(f"and {counted(len(self.bodies) - _BODIES, 'more body', 'more bodies')}", highlight=False)

    def _show_first(self, console: Console) -> None:
        count = min(self.listed, len(self.contacts))
        if count == 0:
            return
        title = "the first contact" if count == 1 else f"the first {count} contacts, bodies with their triangles"
        rows = [self.contacts[k] for k in range(count)]
        columns = {
            "time, s": [_fixed(contact.time, 9) for contact in rows],
            "a": [f"{self.name(contact.body_a)} {contact.face_a}" for contact in rows],
            "b": [f"{self.name(contact.body_b)} {contact.face_b}" for contact in rows],
            "point, m": [", ".join(_fixed(x, 3) for x in contact.point) for contact in rows],
            "how": [contact.kind for contact in rows],
            "m/s": [f"{contact.speed:.3g}" if math.isfinite(contact.speed) else "" for contact in rows],
        }
        short = {"time, s": [_fixed(contact.time, 6) for contact in rows]}
        console.print(_fitting(console, title if count < len(self.contacts) else "all contacts", columns, short))

    def _show_pairs(self, console: Console) -> None:
        pairs = self.pairs()
        columns = {
            "a": [pair["a"] for pair in pairs],
            "b": ["itself" if pair["a"] == pair["b"] else pair["b"] for pair in pairs],
            "contacts": [f"{pair['contacts']:,}" for pair in pairs],
            "first, s": [_fixed(pair["first_time"], 9) for pair in pairs],
        }
        short = {"first, s": [_fixed(pair["first_time"], 6) for pair in pairs]}
        console.print(_fitting(console, "between what", columns, short))


def _fixed(value: float, digits: int) -> str:
    """Format a number with this many decimals, without a minus before zero."""
    return f"{round(value, digits) + 0.0:.{digits}f}"


def _fitting(
    console: Console, title: str, columns: Mapping[str, Sequence[str]], short: Mapping[str, Sequence[str]]
) -> Table:
    """Make a table that fits the console.

    Speed and kind are omitted first, then times are shortened or the point is omitted; names are wrapped as a last resort.
    """
    for left_out, shortened in _SACRIFICES:
        kept = {heading: cells for heading, cells in columns.items() if heading not in left_out}
        shown = {**kept, **short} if shortened else kept
        table = rows_table(title)
        for heading in shown:
            name, words = heading in ("a", "b"), heading in ("a", "b", "point, m", "how")
            table.add_column(heading, justify="left" if words else "right", no_wrap=not name, overflow="fold")
        for row in zip(*shown.values(), strict=True):
            table.add_row(*row)
        if console.measure(table, options=console.options.update(width=_ANY_WIDTH)).maximum <= console.width:
            break
    return table
