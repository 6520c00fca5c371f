"""What a check found, as tables and as JSON."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

from carom.cli.output import rows_table, say_files
from carom.deform.contact_log import DeformContact, DeformContacts
from carom.motion import Deforming
from carom.validate import counted


@dataclasses.dataclass(frozen=True, eq=False)
class Findings:
    """The contacts of an animation up to `until`, s."""

    title: str
    """What was checked, as it was typed."""
    bodies: Sequence[Deforming]
    contacts: DeformContacts
    until: float
    listed: int
    """How many contacts to list one by one, from the first on."""
    seconds: float
    file: Path | None
    picture: Path | None
    html: Path | None = None

    @property
    def exit_code(self) -> int:
        """1 when anything touches, else 0."""
        return int(len(self.contacts) > 0)

    def name(self, body: int) -> str:
        """What a body is called."""
        return self.bodies[body].name or f"body {body}"

    def headline(self) -> str:
        """What was checked and how many contacts there are."""
        faces = sum(len(body.faces) for body in self.bodies)
        count = len(self.contacts)
        found = "nothing touches" if count == 0 else counted(count, "contact")
        return f"{self.title}: {found} of {counted(faces, 'triangle')} up to {self.until:.6g} s"

    def pairs(self) -> list[dict[str, Any]]:
        """Number and first time of the contacts of each pair of bodies, the earliest pair first."""
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
        """Everything, for JSON."""
        listed = [self.contacts[k] for k in range(min(self.listed, len(self.contacts)))]
        return {
            "title": self.title,
            "bodies": [
                {
                    "name": self.name(k),
                    "vertices": int(body.vertices.shape[1]),
                    "faces": len(body.faces),
                    "keys": len(body.times),
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
        """Print the headline, the first contacts and the pairs of bodies."""
        console.print(self.headline(), style="bold", highlight=False, soft_wrap=True)
        if len(self.contacts):
            self._show_first(console)
            self._show_pairs(console)
        stats = self.contacts.stats
        console.print(
            f"{counted(stats.intervals, 'interval')}, {counted(stats.pair_tests, 'pair')} of triangles, {self.seconds:.3g} s",
            style="dim", highlight=False, soft_wrap=True,
        )  # fmt: skip
        say_files(console, {"run file": self.file, "picture": self.picture, "replay": self.html})

    def _show_first(self, console: Console) -> None:
        count = min(self.listed, len(self.contacts))
        if count == 0:
            return
        title = "the first contact" if count == 1 else f"the first {count} contacts, bodies with their triangles"
        table = rows_table(title if count < len(self.contacts) else "all contacts")
        table.add_column("time, s", justify="right", no_wrap=True)
        table.add_column("a")
        table.add_column("b")
        table.add_column("point, m", no_wrap=True)
        table.add_column("how", no_wrap=True)
        table.add_column("m/s", justify="right", no_wrap=True)
        for k in range(count):
            contact = self.contacts[k]
            table.add_row(
                f"{contact.time:.9f}",
                f"{self.name(contact.body_a)} {contact.face_a}",
                f"{self.name(contact.body_b)} {contact.face_b}",
                ", ".join(f"{x + 0.0:.3f}" for x in contact.point),
                contact.kind,
                f"{contact.speed:.3g}" if math.isfinite(contact.speed) else "",
            )
        console.print(table)

    def _show_pairs(self, console: Console) -> None:
        table = rows_table("between what")
        table.add_column("a")
        table.add_column("b")
        table.add_column("contacts", justify="right")
        table.add_column("first, s", justify="right")
        for pair in self.pairs():
            other = "itself" if pair["a"] == pair["b"] else pair["b"]
            table.add_row(pair["a"], other, f"{pair['contacts']:,}", f"{pair['first_time']:.9f}")
        console.print(table)
