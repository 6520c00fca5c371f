"""The numbers of a run or check that its plot shows."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from carom.errors import RunFileError
from carom.runfile import CHECK, CheckFile, RunFile, holds
from carom.scenes import stored_counts, stored_scene, stored_world

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclasses.dataclass(frozen=True, eq=False)
class Graph:
    """The contact graph: pairs (m, 2) of different bodies, with contacts (m,) and first time (m,) of each; self-contacts
    (m', 2) as body and number; connected groups of bodies.
    """

    pairs: Ints
    contacts: Ints
    first: Floats
    selves: Ints
    group_of: dict[int, int]

    @property
    def groups(self) -> int:
        """Number of connected groups."""
        return len(set(self.group_of.values()))


@dataclasses.dataclass(frozen=True, eq=False)
class Account:
    """A run or check from `begin` to `end`, s, with its contacts in time order."""

    title: str
    check: bool  # Deforming meshes of `carom check`, or a world of `carom run`
    begin: float
    end: float
    names: list[str]  # One per body; "" for bodies without a name
    fixed: NDArray[np.bool_]  # (bodies,) whether a body is immovable
    times: Floats
    a: Ints
    b: Ints
    speeds: Floats  # (contacts,) approach speeds, m/s; NaN where triangles overlapped at the start
    checkpoints: Floats  # Times of `counts`, s; empty for a check
    counts: dict[str, Ints]  # Counters of the world at the checkpoints, by the names of Stats
    body_speeds: tuple[Floats, Floats] | None  # Speeds of the movable bodies at the beginning and the end, m/s
    thermal: bool  # Equal masses and conserved energy: the speeds of a gas approach Maxwell's distribution

    @property
    def rate(self) -> float:
        """Contacts per second."""
        return len(self.times) / (self.end - self.begin)

    def name(self, body: int) -> str:
        """Return the name of a body, or its number."""
        return self.names[body] or f"body {body}"

    def parts(self) -> dict[str, NDArray[np.bool_]]:
        """Return contacts by kind: with bodies or walls in a world, by pair of bodies in a check."""
        if self.check:
            pairs = np.unique(np.stack([self.a, self.b], axis=1), axis=0)
            return {
                f"{self.name(a)} with itself" if a == b else f"{self.name(a)} and {self.name(b)}": (self.a == a)
                & (self.b == b)
                for a, b in pairs.tolist()
            }
        walls = self.fixed[self.a] | self.fixed[self.b]
        found = {"between moving bodies": ~walls, "with walls and other fixed bodies": walls}
        return {name: rows for name, rows in found.items() if rows.any()}

    def graph(self) -> Graph:
        """Return the contact graph, without immovable bodies of a world."""
        met = ~(self.fixed[self.a] | self.fixed[self.b])
        a, b, times = self.a[met], self.b[met], self.times[met]
        every, first, contacts = np.unique(np.stack([a, b], axis=1), axis=0, return_index=True, return_counts=True)
        other = every[:, 0] != every[:, 1]
        pairs = every[other]
        n = len(self.names)
        links = coo_array((np.ones(len(pairs)), (pairs[:, 0], pairs[:, 1])), shape=(n, n))
        labels = connected_components(links, directed=False)[1]
        return Graph(
            pairs=pairs,
            contacts=contacts[other],
            first=times[first[other]],
            selves=np.stack([every[~other, 0], contacts[~other]], axis=1),
            group_of={int(body): int(labels[body]) for body in np.unique(every)},
        )

    def as_dict(self) -> dict[str, Any]:
        """Return the plotted numbers, for JSON."""
        graph = self.graph()
        meetings = np.bincount(np.concatenate([graph.pairs.ravel(), graph.selves[:, 0]]), minlength=len(self.names))
        speeds = self.speeds[np.isfinite(self.speeds)]
        steps = np.diff(self.checkpoints)
        return {
            "title": self.title,
            "kind": "check" if self.check else "run",
            "begin": self.begin,
            "end": self.end,
            "bodies": len(self.names),
            "contacts": len(self.times),
            "contacts_per_second": self.rate,
            "contacts_by_kind": {name: int(rows.sum()) for name, rows in self.parts().items()},
            "events_per_second": {
                name: (np.diff(count) / steps).tolist() for name, count in self.counts.items() if len(steps)
            },
            "checkpoints": self.checkpoints.tolist(),
            "pairs_that_touched": len(graph.pairs),
            "bodies_that_touched": len(graph.group_of),
            "groups": graph.groups,
            "most_met": int(meetings.argmax()) if meetings.any() else None,
            "mean_closing_speed": float(speeds.mean()) if len(speeds) else None,
            "mean_speed": None
            if self.body_speeds is None or not len(self.body_speeds[1])
            else {"begin": float(self.body_speeds[0].mean()), "end": float(self.body_speeds[1].mean())},
        }


def account_of(path: str | Path) -> Account:
    """Return the numbers of a run file of `carom run` or `carom check`; RunFileError if it is unreadable or has no length."""
    path = Path(path)
    found = _of_check(path) if holds(path, CHECK) else _of_run(path)
    if not found.end > found.begin:
        raise RunFileError(f"{path}: the run has no length: nothing to plot; continue it with `carom run --resume`")
    return found


def _of_run(path: Path) -> Account:
    with RunFile.read(path) as file:
        scene = stored_scene(file)
        saved, log = file.checkpoints(), file.contacts()
        counts = [stored_counts(file, checkpoint.number) for checkpoint in saved]
        world = stored_world(file, scene)
    fixed = np.isinf(scene.masses)
    speeds = [np.linalg.norm(at[~fixed], axis=1) for at in (scene.velocities, world.velocities(world.time))]
    free = scene.masses[~fixed]
    lossless = scene.response["kind"] == "elastic" and scene.response["restitution"] == 1.0
    return Account(
        title=scene.name,
        check=False,
        begin=0.0,
        end=saved[-1].time,
        names=[name or "" for name in scene.names],
        fixed=fixed,
        times=np.asarray(log.times),
        a=np.asarray(log.a),
        b=np.asarray(log.b),
        speeds=np.asarray(log.speeds),
        checkpoints=np.array([checkpoint.time for checkpoint in saved]),
        counts={name: np.array([count[name] for count in counts]) for name in counts[0]},
        body_speeds=(speeds[0], speeds[1]),
        thermal=lossless and len(free) > 0 and bool((free == free[0]).all()) and not scene.accelerations.any(),
    )


def _of_check(path: Path) -> Account:
    with CheckFile.read(path) as file:
        title, until, found = file.title(), file.source().get("until"), file.contacts()
        names, first, last = zip(*file.spans(), strict=True)
    return Account(
        title=title,
        check=True,
        begin=max(first),
        end=min(last) if until is None else min(*last, until),
        names=list(names),
        fixed=np.zeros(len(names), bool),
        times=found.times,
        a=found.body_a,
        b=found.body_b,
        speeds=found.speeds,
        checkpoints=np.empty(0),
        counts={},
        body_speeds=None,
        thermal=False,
    )
