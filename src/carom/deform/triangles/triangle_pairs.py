"""First contact of pairs of triangles whose vertices move linearly over one interval, exact.

What a pair goes through, cheapest first: directions along which the two triangles stay apart over the window in which their
boxes come together; the boxes of each feature within the window, and the cubic whose roots are the times at which its points
lie in one plane; the certified filter for one feature, that with the earliest root first. What the filter cannot decide is
listed for exact arithmetic.

Everything but the filter works on positions relative to the first corner of a. Differences of two doubles are rounded
once, so errors are relative to the size of the pair, not to where it lies.

Times are multiples of QUANTUM, rounded down: a time so rounded depends on the motion alone and not on the window that a
method knew, so that every method gives the same log, bit for bit.
"""

from __future__ import annotations

from math import floor, inf

from carom._compile.jit import inline_kernel, inner_kernel, lean_kernel
from carom._compile.lanes import lowest_place
from carom.deform.model.pair_set import holds_pair
from carom.deform.triangles.features import FEATURES, FIRST_EDGE, PLACES
from carom.deform.triangles.lanes.coplanarity import coplanar_before, coplanar_features, earliest_feature
from carom.deform.triangles.lanes.directions import cross_directions, edge_directions, likely_directions
from carom.deform.triangles.lanes.window_pairs import meeting_features, parting_directions, place_corners
from carom.narrow.features import CLEAR, CONTACT, ROOT_AFTER, ROOT_UNSURE, filter_feature, root_order
from carom.narrow.features.rounding import UNIT

QUANTUM = 2.0**-33
"""Part of the interval; 1.2e-10. Contacts are reported this much early at most. Brackets of the filter are about 1e-12
wide: few of them hold a multiple, where exact arithmetic has to tell on which side the contact lies."""

LEAVES_NEXT, LEAVES_UNDECIDED, PARTED, LEAVES_FILTERED = 0, 1, 2, 3
"""Columns of the progress (4,): next candidate, features listed for exact arithmetic, pairs proved apart by a direction,
features that the filter looked at."""


@inline_kernel
def _parting(moved, reach, directions):
    """Mask of eight directions, left in `directions` (3, 8), that part the triangles; 0 if none of 24 does."""
    likely_directions(moved, directions)
    parting = parting_directions(moved, reach, directions)
    if parting == 0:
        edge_directions(moved, directions)
        parting = parting_directions(moved, reach, directions)
    if parting == 0:
        cross_directions(moved, directions)
        parting = parting_directions(moved, reach, directions)
    return parting


@inner_kernel
def _is_shared(corners, code):
    """Do the two parts of a feature have a vertex in common? Such parts always touch, which is no contact."""
    cut = 2 if code >= FIRST_EDGE else 1
    for k in range(cut):
        for m in range(cut, 4):
            if corners[PLACES[code, k]] == corners[PLACES[code, m]]:
                return True
    return False


@inline_kernel
def _share_before(first, last, time):
    """Part of the window [first, last] that holds all of it up to `time`: three roundings, 8 u more is not too little."""
    share = max(time - first, 0.0) / (last - first) * (1.0 + 8.0 * UNIT)
    return share if share < 1.0 else 1.0


@inner_kernel
def _feature_contact(start, end, corners, code, first, last, points, work):
    """First contact of one feature in [first, last], by the filter: (status, earliest and latest time that it may have).

    The times are multiples of QUANTUM. One and the same with CONTACT: that is the time. CLEAR: there is none.
    """
    for k in range(4):
        vertex = corners[PLACES[code, k]]
        for d in range(3):
            points[k, d] = start[vertex, d]
            points[4 + k, d] = end[vertex, d]
    status = filter_feature(points, code >= FIRST_EDGE, first, last, work)
    if status == CLEAR:
        return status, inf, inf
    early = floor(work[0] / QUANTUM) * QUANTUM
    late = floor(work[1] / QUANTUM) * QUANTUM
    if status == CONTACT and late == early + QUANTUM:
        order = root_order(points, code >= FIRST_EDGE, work[0], late, work[2:])
        early = late if order == ROOT_AFTER else early
        late = early if order != ROOT_UNSURE else late
    return status, early, late


@lean_kernel
def test_pairs(
    faces, start, end, pairs, windows, n, adjacent, settled, times, codes, witnesses, undecided, progress,
    corners, moved, reach, directions, cubics, points, work,
):  # fmt: skip
    """First contact of pairs[: n] within their windows into times (multiples of QUANTUM, inf: none) and feature codes.

    start, end (v, 4): vertices at both ends of the interval, x, y, z and 0. adjacent: the pairs share vertices, so that no
    direction parts them and features with a shared vertex are left out. settled: a pair_set of pairs that need no answer
    and get none. witnesses (n, 3) gets, for others, a direction that parts the pair over its window, 0 where none was found.
    Features for exact arithmetic go to `undecided` (u, 2): row of the pair, code. Returns early, with progress[NEXT] at the
    next pair, when `undecided` might not hold those of one more pair.
    """
    row = progress[LEAVES_NEXT]
    n_undecided = progress[LEAVES_UNDECIDED]
    parted = 0
    filtered = 0
    while row < n and n_undecided + FEATURES <= len(undecided):
        first = windows[row, 0]
        last = windows[row, 1]
        times[row] = inf
        codes[row] = -1
        if not adjacent and holds_pair(settled, pairs[row, 0], pairs[row, 1], len(faces)):
            for d in range(3):
                witnesses[row, d] = 0.0
            row += 1
            continue
        for k in range(3):
            corners[k] = faces[pairs[row, 0], k]
            corners[3 + k] = faces[pairs[row, 1], k]
        place_corners(start, end, corners, first, last, moved, reach)
        if not adjacent:
            parting = _parting(moved, reach, directions)
            best_way = lowest_place(parting) if parting != 0 else 0
            for d in range(3):
                witnesses[row, d] = directions[d, best_way] if parting != 0 else 0.0
            if parting != 0:
                parted += 1
                row += 1
                continue
        meeting = meeting_features(moved, reach) & coplanar_features(moved, reach, cubics)
        best = inf
        while meeting != 0:
            # A contact early in the window leaves little else to look at.
            code = earliest_feature(cubics, meeting)
            meeting &= ~(1 << code)
            # At one time, as far as times are told apart, the lowest code counts.
            if (adjacent and _is_shared(corners, code)) or (best <= first and code > codes[row]):
                continue
            filtered += 1
            status, early, late = _feature_contact(
                start, end, corners, code, first, min(last, best + QUANTUM), points, work
            )
            if status == CLEAR:
                continue
            if status == CONTACT and late == early:
                if early < best:
                    # What comes together only later cannot be first.
                    best = early
                    meeting &= coplanar_before(cubics, reach, _share_before(first, last, best + QUANTUM))
                    codes[row] = code
                if early == best:
                    times[row] = early
                    codes[row] = min(code, codes[row])
            elif early <= best:
                undecided[n_undecided, 0] = row
                undecided[n_undecided, 1] = code
                n_undecided += 1
        row += 1
    progress[LEAVES_NEXT] = row
    progress[LEAVES_UNDECIDED] = n_undecided
    progress[PARTED] += parted
    progress[LEAVES_FILTERED] += filtered
