"""Compile everything that the benches time, before the first clock starts."""

from __future__ import annotations

import itertools

from carom.bench.timing import METHODS, run_scene
from carom.engine.broad_phase_choice import AUTO
from carom.scenes.gas import gas
from carom.scenes.rings import rings


def warm_up() -> None:
    """Run two small crowded scenes through every broad phase until bodies have touched."""
    for scene, method in itertools.product(
        (rings(objects=24, density=0.15), gas(objects=24, packing=0.05)), (AUTO, *METHODS)
    ):
        run_scene(scene, 30.0, 2.0, method)
