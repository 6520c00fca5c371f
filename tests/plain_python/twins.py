"""Which twin stands for what."""

from __future__ import annotations

import ctypes
import math
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from plain_python import addresses, coplanar_lanes, direction_lanes, lanes, single_lanes, triangle_lanes
from plain_python.arithmetic import functions, plain_math


class _NoThreads:
    """Twin of ThreadPoolExecutor: work is done at once, so that a time limit ends it."""

    def __init__(self, threads=None) -> None:
        pass

    def __enter__(self):
        return self

    def __exit__(self, *error) -> None:
        pass

    def map(self, work, *items):
        return [work(*arguments) for arguments in zip(*items, strict=True)]

    def shutdown(self) -> None:
        pass


everywhere = {id(math): plain_math, id(ThreadPoolExecutor): _NoThreads} | {id(f): twin for f, twin in functions.items()}
"""Twins of what modules of carom import from elsewhere, by the identity of the original."""

IN_TABLE = {
    "_floats": (np.float64, 1),
    "_float_rows": (np.float64, 2),
    "_float_blocks": (np.float64, 3),
    "_bytes": (np.int8, 1),
    "_byte_rows": (np.uint8, 2),
    "_short_rows": (np.int16, 2),
    "_ints": (np.int32, 1),
    "_int_rows": (np.int32, 2),
    "_longs": (np.int64, 1),
    "_long_rows": (np.int64, 2),
    "_masks": (np.uint64, 1),
}
"""Kinds of arrays in engine.address_table: type of the items, number of axes."""


def _named(module, *names):
    return {name: getattr(module, name) for name in names}


intrinsics = {
    "carom._compile.lanes": _named(lanes, "least_of_eight", "least_of_seven", "spheres_touching", "lowest_place"),
    "carom._compile.clock": {"_counter": lanes.counter},
    "carom._compile.fused": _named(lanes, "fused"),
    "carom._compile.prefetch": _named(lanes, "prefetch_row", "prefetch_ends"),
    "carom._compile.address_call": {
        "call_float": addresses.call,
        "call_int": addresses.call,
        "as_float64": addresses.pointer_to(ctypes.c_double),
        "as_int32": addresses.pointer_to(ctypes.c_int32),
        "as_int64": addresses.pointer_to(ctypes.c_int64),
    },
    "carom.boxes.lanes": _named(lanes, "meeting", "number_below"),
    "carom.deform.triangles.lanes.window_pairs": _named(
        lanes, "place_corners", "parting_directions", "meeting_features"
    ),
    "carom.deform.triangles.lanes.coplanarity": _named(
        coplanar_lanes, "coplanar_features", "coplanar_before", "earliest_feature"
    ),
    "carom.deform.triangles.lanes.directions": _named(
        direction_lanes, "likely_directions", "edge_directions", "cross_directions"
    ),
    "carom.deform.triangles.lanes.separating": _named(triangle_lanes, "parted", "placed_parted"),
    "carom.deform.triangles.lanes.box_fit": _named(
        triangle_lanes, "fit_triangle", "fit_corners", "fit_two", "fit_two_rows"
    ),
    "carom.deform.triangles.lanes.fans": _named(single_lanes, "put_normal", "mean_normal", "face_one_way"),
    "carom.deform.triangles.lanes.chord_boxes": _named(
        single_lanes, "sides_apart", "meeting_intervals", "boxes_meet", "meeting_window"
    ),
    "carom.narrow.mesh.bvh8.boxes": {
        "_overlaps": single_lanes.eight_overlaps,
        "_distances": single_lanes.eight_distances,
        "eight_windows": single_lanes.eight_windows,
    },
    "carom.engine.addresses": {name: addresses.array_in_table(*kind) for name, kind in IN_TABLE.items()},
}
"""Twins of LLVM intrinsics, by module and name."""


def in_module(name):
    """Twins by name of what the module of that name defines."""
    return {"c_callback": addresses.c_callback} if name == "carom._compile.jit" else intrinsics.get(name, {})
