"""First contact of a vertex and a face, or of two edges, whose points move straight over a step: exact, in batches."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from carom import validate
from carom.errors import InvalidInputError
from carom.narrow.features import feature_margin_times, feature_times

Floats = NDArray[np.float64]


def vertex_face_toi(
    start: ArrayLike, end: ArrayLike, *, separation: float = 0.0, tight: bool = False, threads: int | None = None
) -> Floats | float:
    """Time of first contact of a vertex with a face: in [0, 1] of the step, inf if they never touch.

    start, end: (n, 4, 3), or (4, 3) for one answer: vertex and three corners of the face at both ends of the step, in metres;
    points move straight between them. The face is closed, and so is the step; coplanar, degenerate and touching motion
    counts. The answer is exact: whether they touch is decided with integers where floating point cannot, and the time is
    never after the contact and at most 1e-9 of the step before it, with `tight` the largest double not after it.

    separation: report the first time at a distance of at most this many metres instead. Then no such moment is missed and
    none is reported late, but one may be reported at a distance of up to separation (1 + 1e-6) plus a rounding of the
    coordinates' differences (1e-13 of the largest), at that distance's time, or farther off where a thousand steps towards it
    were not enough; `tight` has no effect.
    threads: None for all cores where the batch is worth it. What is not finite or of another shape raises.
    """
    return _times(start, end, False, separation, tight, threads)


def edge_edge_toi(
    start: ArrayLike, end: ArrayLike, *, separation: float = 0.0, tight: bool = False, threads: int | None = None
) -> Floats | float:
    """Time of first contact of two edges: in [0, 1] of the step, inf if they never touch.

    start, end: (n, 4, 3), or (4, 3) for one answer: both ends of edge a, both ends of edge b. All else as vertex_face_toi.
    """
    return _times(start, end, True, separation, tight, threads)


def _times(
    start: ArrayLike, end: ArrayLike, edges: bool, separation: float, tight: bool, threads: int | None
) -> Floats | float:
    first, last = _positions("start", start), _positions("end", end)
    if first.shape != last.shape:
        raise InvalidInputError(f"end has shape {last.shape}; expected that of start, {first.shape}")
    apart, last_double = validate.limit("separation", separation, validate.EVERY_DOUBLE), validate.truth("tight", tight)
    validate.threads(threads)
    if apart == np.inf:
        raise InvalidInputError("separation is inf; expected a finite number of 0 or more")
    single = first.ndim == 2
    first, last = first.reshape(-1, 4, 3), last.reshape(-1, 4, 3)
    kinds = np.full(len(first), edges)
    if apart > 0.0:
        times = feature_margin_times(first, last, kinds, apart, threads)
    else:
        times = feature_times(first, last, kinds, last_double, threads)
    return float(times[0]) if single else times


def _positions(name: str, value: ArrayLike) -> Floats:
    """Finite positions (n, 4, 3) or (4, 3); a fitting array is not copied, as that would cost more than the answer."""
    if type(value) is np.ndarray and value.dtype == np.float64 and value.shape[1:] == (4, 3):
        with np.errstate(over="ignore", invalid="ignore"):
            # A sum is finite only if all its terms are; where it overflows the slow check follows.
            finite = bool(np.isfinite(value.sum()))
        if finite and value.flags.c_contiguous and value.flags.writeable:
            return value
    # Exact integers have no range.
    return validate.array(name, value, (None, 4, 3), (4, 3), largest=validate.EVERY_DOUBLE)
