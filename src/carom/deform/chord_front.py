"""The front of a search for touching triangles, kept from key to key.

The front is the list of node pairs at which the last search stopped: pairs whose chord boxes are apart, and pairs of leaves.
Together they cover all pairs of triangles. From one key to the next most stay apart: one comparison and the pair is done.
Where they come together the search goes on below, never above, so a front only grows; it is laid anew from the start pairs
now and then. Where keys are known in advance, boxes over several of them tell which pairs need not be looked at until then:
these are parked.
"""

from __future__ import annotations

from carom._jit import lean_kernel
from carom.deform.chord_lanes import meeting_window, sides_apart
from carom.deform.descent import open_pair

NEXT, KEPT, FOUND, TESTS, EXPANDED, PARKED = 0, 1, 2, 3, 4, 5
"""Columns of the progress (6,): next entry of the old front, entries of the new one, candidates found, boxes compared,
pairs opened, pairs parked."""

DONE, ROOM_WANTED = 0, 1
_MOST = 4
"""Pairs below one pair, at most."""


@lean_kernel
def advance_front(
    left, right, face, boxes, far, odd, old, n_old, new, parked, candidates, windows, places, stack, progress
):
    """Carry the front over one interval: `old` (n_old pairs of nodes) to `new`, leaf pairs that come together to `candidates`.

    candidates (c, 2) triangles, windows (c, 2) times within [0, 1], and places (c,) their rows in `new`. Entries of `old`
    with -1 are left out. far: chord boxes over several keys, or none: pairs below an opened one that they show apart go to
    `parked` instead. Returns DONE, or ROOM_WANTED with `progress` at the first entry that did not fit: the caller empties or
    enlarges `candidates`, `new` or `parked` and calls again.
    """
    room_new = len(new)
    room_found = len(candidates)
    kept = progress[KEPT]
    found = progress[FOUND]
    expanded = 0
    tested = 0
    looks_ahead = len(far) > 0
    n_parked = progress[PARKED]
    room_parked = len(parked) if looks_ahead else 1 << 62
    code = DONE
    entry = progress[NEXT]
    begun = entry
    while entry < n_old:
        kept_before = kept
        found_before = found
        parked_before = n_parked
        if kept >= room_new:
            code = ROOM_WANTED
            break
        a = old[entry, 0]
        b = old[entry, 1]
        if a < 0:
            entry += 1
            continue
        if sides_apart(boxes, a, b) != 0:
            new[kept, 0] = a
            new[kept, 1] = b
            kept += 1
            entry += 1
            continue
        depth = 1
        stack[0, 0] = a
        stack[0, 1] = b
        while depth > 0:
            # Pairs on the stack are not apart along one side at both keys.
            depth -= 1
            a = stack[depth, 0]
            b = stack[depth, 1]
            if kept + _MOST > room_new or found >= room_found or n_parked + _MOST > room_parked:
                code = ROOM_WANTED
                break
            begin, end = meeting_window(boxes, a, b, odd)
            leaves = left[a] < 0 and left[b] < 0
            if leaves or begin > end:
                if begin <= end:
                    candidates[found, 0] = min(face[a], face[b])
                    candidates[found, 1] = max(face[a], face[b])
                    windows[found, 0] = begin
                    windows[found, 1] = end
                    places[found] = kept
                    found += 1
                elif looks_ahead and sides_apart(far, a, b) != 0:
                    parked[n_parked, 0] = a
                    parked[n_parked, 1] = b
                    n_parked += 1
                    continue
                new[kept, 0] = a
                new[kept, 1] = b
                kept += 1
                continue
            expanded += 1
            # What is below goes to the front, to what is parked or back to the stack. Which one cannot be foreseen, so
            # it is written to all three and counted where it belongs.
            opened = open_pair(left, right, a, b, stack, depth)
            tested += opened - depth
            for k in range(depth, opened):
                a = stack[k, 0]
                b = stack[k, 1]
                apart = sides_apart(boxes, a, b) != 0
                away = False
                if looks_ahead:
                    away = apart & (sides_apart(far, a, b) != 0)
                    parked[n_parked, 0] = a
                    parked[n_parked, 1] = b
                new[kept, 0] = a
                new[kept, 1] = b
                stack[depth, 0] = a
                stack[depth, 1] = b
                n_parked += away
                kept += apart & (not away)
                depth += not apart
        if code == ROOM_WANTED:
            kept = kept_before
            found = found_before
            n_parked = parked_before
            break
        entry += 1
    progress[TESTS] += entry - begun + tested
    progress[EXPANDED] += expanded
    progress[NEXT] = entry
    progress[KEPT] = kept
    progress[FOUND] = found
    progress[PARKED] = n_parked
    return code


@lean_kernel
def look_far(far, pairs, n, front, held, parked, n_parked):
    """Add those of pairs[:n] whose boxes over the keys ahead are apart to `parked`, the others to `front`.

    Returns how many both hold then. Both have room for n more than they hold; `pairs` may be `parked` itself if that holds
    none. Pairs with -1 are left out.
    """
    for k in range(n):
        a, b = pairs[k, 0], pairs[k, 1]
        if a < 0:
            continue
        apart = sides_apart(far, a, b) != 0
        front[held, 0] = a
        front[held, 1] = b
        parked[n_parked, 0] = a
        parked[n_parked, 1] = b
        held += not apart
        n_parked += apart
    return held, n_parked
