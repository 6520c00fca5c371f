"""The libraries that benches compare carom with: which are installed, their versions, and meshes in their form."""

from __future__ import annotations

import importlib.util
from abc import ABC
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib import metadata
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from carom.bench.progress import Bar
from carom.bench.report import Report


@dataclass(frozen=True)
class Library:
    """A Python package, by the names under which it is installed and imported."""

    package: str
    module: str

    @property
    def installed(self) -> bool:
        """Whether it can be imported."""
        return importlib.util.find_spec(self.module) is not None


COAL = Library("coal", "coal")
FCL = Library("python-fcl", "fcl")
IPCTK = Library("ipctk", "ipctk")
RAPIER = Library("rapier3d", "rapier3d")
WARP = Library("warp-lang", "warp")


class Peer(ABC):
    """Base class of another library set up for one measurement. Constructors are not timed."""

    name: str
    library: Library
    how: str
    """The methods that are called, and the work that is done before the clock starts; for the notes of a report."""


P = TypeVar("P", bound=Peer)


def say_missing(libraries: Iterable[Library], what: str, bar: Bar) -> None:
    """Print the packages that are not installed, and how to install them. what: the measurement that skips them."""
    missing = sorted({library.package for library in libraries if not library.installed})
    if missing:
        bar.say(f"{what}: skipped, not installed: {', '.join(missing)} (install with: pip install -e '.[peers]')")


def installed(peers: Sequence[type[P]], what: str, bar: Bar) -> list[type[P]]:
    """Return the peers whose libraries are installed, and print which are missing."""
    say_missing([peer.library for peer in peers], what, bar)
    return [peer for peer in peers if peer.library.installed]


def add_versions(report: Report, libraries: Iterable[Library]) -> None:
    """Add the versions of installed libraries to the description of the machine."""
    for library in libraries:
        if library.installed:
            report.machine[library.package] = metadata.version(library.package)


def coal_mesh(vertices: NDArray[np.float64], faces: NDArray[Any]) -> Any:
    """Return a mesh of coal with a tree of OBB-RSS volumes."""
    import coal

    mesh = coal.BVHModelOBBRSS()
    mesh.beginModel(len(faces), len(vertices))
    mesh.addVertices(np.array(vertices))
    mesh.addTriangles(faces.astype(np.uint32))
    mesh.endModel()
    mesh.computeLocalAABB()
    return mesh


def fcl_mesh(vertices: NDArray[np.float64], faces: NDArray[Any]) -> Any:
    """Return a mesh of python-fcl with a tree of OBB-RSS volumes."""
    import fcl

    mesh = fcl.BVHModel()
    mesh.beginModel(len(vertices), len(faces))
    mesh.addSubModel(np.array(vertices), np.array(faces))
    mesh.endModel()
    return mesh


def coal_tree(objects: list[Any]) -> Any:
    """Return coal's dynamic AABB tree of these collision objects."""
    import coal

    tree = coal.DynamicAABBTreeCollisionManager()
    for item in objects:
        tree.registerObject(item)
    tree.setup()
    return tree


def fcl_tree(objects: list[Any]) -> Any:
    """Return python-fcl's dynamic AABB tree of these collision objects."""
    import fcl

    tree = fcl.DynamicAABBTreeCollisionManager()
    tree.registerObjects(objects)
    tree.setup()
    return tree
