"""First contact of a vertex and a face, or of two edges, whose points move linearly over a step: exact, in batches."""

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
    """Compute the time of first contact of a vertex with a face.

    The points move linearly over the step. The face and the step are closed; coplanar, degenerate and touching motion
    counts. Whether they touch is decided exactly, with integers where floating point cannot decide.

    Parameters
    ----------
    start, end : array_like of shape (4, 3) or (n, 4, 3)
        The vertex and the three corners of the face at the start and the end of the step, m; every finite double.
    separation : float
        If above 0, report the first time at which the distance is at most this many metres. No such time is missed and
        none is reported late. A time may be reported at which the distance is up to separation * (1 + 1e-6) plus a
        rounding of the differences of coordinates (1e-13 of the largest), or more if a thousand steps of the search
        were not enough. Default: 0.
    tight : bool
        Return the largest double that is not after the contact. No effect if `separation` is above 0. Default: False.
    threads : int, optional
        Number of threads. Default: all cores if the batch is large enough.

    Returns
    -------
    float or ndarray of shape (n,)
        Times as fractions of the step, from 0 to 1; inf where they never touch. A time is never after the contact and,
        without `tight`, at most 1e-9 of the step before it.

    Raises
    ------
    InvalidInputError
        An array has another shape or is not finite, or another argument is malformed.
    """
    return _times(start, end, False, separation, tight, threads)


def edge_edge_toi(
    start: ArrayLike, end: ArrayLike, *, separation: float = 0.0, tight: bool = False, threads: int | None = None
) -> Floats | float:
    """Compute the time of first contact of two edges.

    Parameters
    ----------
    start, end : array_like of shape (4, 3) or (n, 4, 3)
        Both ends of edge a, then both ends of edge b, at the start and the end of the step, m; every finite double.
    separation, tight, threads
        As for `vertex_face_toi`; result, accuracy and errors too.
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
    """Return finite positions (n, 4, 3) or (4, 3). A suitable array is not copied, which would cost more than the query."""
    if type(value) is np.ndarray and value.dtype == np.float64 and value.shape[1:] == (4, 3):
        with np.errstate(over="ignore", invalid="ignore"):
            # A sum is finite only if all its terms are; if it overflows, the slow check follows.
            finite = bool(np.isfinite(value.sum()))
        if finite and value.flags.c_contiguous and value.flags.writeable:
            return value
    # Exact integers have no range.
    return validate.array(name, value, (None, 4, 3), (4, 3), largest=validate.EVERY_DOUBLE)
