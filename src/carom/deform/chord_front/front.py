"""The front of a search for touching triangles, kept between keys.

The front is the list of node pairs at which the last search stopped: pairs whose chord boxes are apart, and pairs of leaves.
Together they cover all pairs of triangles. Where boxes come together the search goes on below, never above, so a front only
grows; it is laid anew from the start pairs now and then.

Some keys in a row, a window, are known in advance. Where it begins every pair is looked at once: most are apart over all of
it, as the boxes at its keys show, all at once; these are parked until the next window. Any other is due in the first interval
in which no side of its boxes shows it apart, and nobody looks at it before.

Pairs are looked at in loops without branches, each over many pairs: what becomes of a pair cannot be foreseen, and boxes come
from far away in memory, for many pairs at once as long as nothing has to be undone.
"""

from __future__ import annotations

from carom._compile.jit import inline_kernel, lean_kernel
from carom._compile.lanes import lowest_place
from carom.deform.chord_front.chord_boxes import KEY, MOST_KEYS
from carom.deform.chord_front.descent import MOST_BELOW, open_pair
from carom.deform.triangles.lanes.chord_boxes import meeting_intervals, meeting_window

FRONT_NEXT, FRONT_DEPTH, FRONT_FOUND, FRONT_TESTS, EXPANDED = 0, 1, 2, 3, 4
"""Columns of the progress (5,): next pair that is due, pairs that wait on the stack, candidates found, boxes compared, pairs
opened."""

FRONT_DONE, FRONT_ROOM_WANTED = 0, 1
PARKED = MOST_KEYS - 1
"""Row of `due` with the pairs that are not due in the window."""
FRONT_BLOCK = 128
"""Pairs looked at in one go."""


@inline_kernel
def intervals_from(interval, n):
    """Mask, as meeting_intervals gives it, of the intervals from this one on in a window of n."""
    return (1 << (8 * n)) - (1 << (8 * interval))


@inline_kernel
def put_off(meeting, a, b, counts, due):
    """Write the pair of nodes (a, b) behind those due in the first interval of the mask `meeting`, or parked if that is 0.

    due (MOST_KEYS, room, 2), counts (MOST_KEYS,) how many of each. There is room. Returns the row of `due`; the pair is in it
    once that row's count is raised.
    """
    interval = lowest_place(meeting | (1 << (8 * PARKED))) >> 3
    place = counts[interval]
    due[interval, place, 0] = a
    due[interval, place, 1] = b
    return interval


@lean_kernel
def lay_out(boxes, window, pairs, n, counts, due):
    """Put pairs[:n] off until they are due in a window, or park them.

    boxes: see carom.deform.chord_front.chord_boxes; window: how many intervals it has. There is room for n; nothing is
    due, and `pairs` may be those parked, which they are no longer. Pairs with -1 are left out.
    """
    within = intervals_from(0, window)
    counts[PARKED] = 0
    for k in range(n):
        a, b = pairs[k, 0], pairs[k, 1]
        interval = put_off(meeting_intervals(boxes, max(a, 0), b) & within, a, b, counts, due)
        counts[interval] += a >= 0


@inline_kernel
def _room_left(stack, depth, counts, due):
    """Pairs for which there is room on the stack and in every row of `due`."""
    room = due.shape[1]
    for k in range(MOST_KEYS):
        room = min(room, due.shape[1] - counts[k])
    return min(room, len(stack) - depth)


@inline_kernel
def _take_block(interval, counts, due, entry, stack, depth, block):
    """Move up to FRONT_BLOCK pairs into `block`: from the stack, or if that is empty, of those due from `entry` on.

    Returns how many, the next entry and the depth of the stack. Pairs with -1 are left out.
    """
    n = 0
    if depth > 0:
        n = min(depth, FRONT_BLOCK)
        depth -= n
        for k in range(n):
            block[k, 0] = stack[depth + k, 0]
            block[k, 1] = stack[depth + k, 1]
    else:
        last = min(entry + FRONT_BLOCK, counts[interval])
        while entry < last:
            block[n, 0] = due[interval, entry, 0]
            block[n, 1] = due[interval, entry, 1]
            n += block[n, 0] >= 0
            entry += 1
    return n, entry, depth


@lean_kernel
def advance_front(
    left, right, face, boxes, interval, window, due, counts, candidates, windows, places, stack, block, rest,
    windows_of, progress,
):  # fmt: skip
    """Look at all pairs due in an interval: leaf pairs that come together go to `candidates`, and all pairs are put off.

    boxes (n, 16 or 64): see carom.deform.chord_front.chord_boxes; window: how many intervals the window has. candidates
    (c, 2) triangles, windows (c, 2) times within [0, 1], and places (c,) where they were put off to: MOST_KEYS times
    the place plus the row of `due`. block, rest, windows_of (FRONT_BLOCK, 2): work space. Returns DONE, or FRONT_ROOM_WANTED:
    the caller empties `candidates` or enlarges `due` or `stack`, and calls again with `progress` and `stack` as they were
    left.
    """
    width = boxes.shape[1]
    shift = KEY * interval
    bit = 8 * interval + 7
    later = intervals_from(interval + 1, window)
    found = progress[FRONT_FOUND]
    entry = progress[FRONT_NEXT]
    depth = progress[FRONT_DEPTH]
    code = FRONT_DONE
    while depth > 0 or entry < counts[interval]:
        if found + FRONT_BLOCK > len(candidates) or _room_left(stack, depth, counts, due) < MOST_BELOW * FRONT_BLOCK:
            code = FRONT_ROOM_WANTED
            break
        # Pairs on the stack are not apart along one side at both keys, nor are those that are due.
        n, entry, depth = _take_block(interval, counts, due, entry, stack, depth, block)
        # Pairs to be opened stay at the front of the block, the others go to `rest`.
        opened = 0
        resting = 0
        for k in range(n):
            a, b = block[k, 0], block[k, 1]
            begin, end = meeting_window(boxes, width * a + shift, width * b + shift, 0)
            opens = (begin <= end) & ((left[a] >= 0) | (left[b] >= 0))
            rest[resting, 0] = a
            rest[resting, 1] = b
            windows_of[resting, 0] = begin
            windows_of[resting, 1] = end
            block[opened, 0] = a
            block[opened, 1] = b
            opened += opens
            resting += not opens
        for k in range(resting):
            a, b = rest[k, 0], rest[k, 1]
            begin, end = windows_of[k, 0], windows_of[k, 1]
            row = put_off(meeting_intervals(boxes, a, b) & later, a, b, counts, due)
            candidates[found, 0] = min(face[a], face[b])
            candidates[found, 1] = max(face[a], face[b])
            windows[found, 0] = begin
            windows[found, 1] = end
            places[found] = counts[row] * MOST_KEYS + row
            counts[row] += 1
            found += begin <= end
        begun = depth
        for k in range(opened):
            depth = open_pair(left, right, block[k, 0], block[k, 1], stack, depth)
        progress[EXPANDED] += opened
        progress[FRONT_TESTS] += depth - begun
        below = depth
        depth = begun
        for k in range(begun, below):
            a, b = stack[k, 0], stack[k, 1]
            meeting = meeting_intervals(boxes, a, b)
            now = (meeting >> bit) & 1
            row = put_off(meeting & later, a, b, counts, due)
            counts[row] += 1 - now
            stack[depth, 0] = a
            stack[depth, 1] = b
            depth += now
    progress[FRONT_NEXT] = entry
    progress[FRONT_DEPTH] = depth
    progress[FRONT_FOUND] = found
    return code
