"""What the bench asks of another library about a pair of meshes that does not move."""

from __future__ import annotations

from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from carom.shapes import Mesh


class PairPeer(Protocol):
    """A library with its trees built and all poses (n, 4, 4) of the second mesh in its own form. Only the methods are timed."""

    name: ClassVar[str]
    package: ClassVar[str]
    """distribution name, for its version"""
    module: ClassVar[str]
    """import name"""
    how: ClassVar[str]
    """one line: which of its methods, and what is outside the clock"""

    def __init__(self, mesh: Mesh, poses: NDArray[np.float64]) -> None: ...

    def collide(self) -> NDArray[np.bool_]:
        """Do the surfaces meet in each pose? (n,)"""
        ...

    def distance(self) -> NDArray[np.float64]:
        """Distance of the surfaces in each pose (n,), 0 where they meet."""
        ...
