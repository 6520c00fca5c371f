"""How the lists over a pool of axes follow the bodies: frames, new motions, new axes, and the pairs that begin and end by it.

A body whose motion changes inside a frame leaves the lists of its chosen axes at once; shared axes and bounding spheres tell
its partners for the rest of the frame. At the next frame all such bodies enter the lists of the axes that they have chosen
since, in one merge a list, and look for partners again.

Invariant between events: every pair that is close (its intervals overlap on all axes that both use, by rank) is in the pool,
unless one of the two waits to enter lists and their spheres cannot touch within the frame. The pool may hold more.
Each new motion re-establishes it: a row that waits is searched against all rows, one that is settled against those that wait.
"""

from __future__ import annotations

import numpy as np

from carom._compile.jit import inner_kernel, lean_kernel
from carom._compile.lanes import lowest_place
from carom.bounds.velocity_aligned import axis_end, choose_axes
from carom.engine.body_boxes import extreme
from carom.engine.events.pairs import begin_new_pair, collide_groups, pool_full, retest_pairs, slot_and_next
from carom.engine.events.row_motion import accelerates, relative_state
from carom.engine.sweep.axis_lists import (
    N_SHARED,
    N_WAITING,
    SETTLED,
    STAMP,
    TO_ENTER,
    TO_SEARCH,
    TO_SEARCH_NOW,
    WORD,
    add_fresh,
    close_gaps,
    count_apart,
    has_axis,
    leave_gaps,
    meet_elsewhere,
    meet_on_shared,
    merge_fresh,
    sweep_lists,
)
from carom.engine.sweep.list_order import end_close, rise, sink, sort_lists
from carom.shapes.kind import HALF_SPACE, POLLED
from carom.tables.body_columns import CX, FLAGS, GIVEN_BOUNDS, HEAD, KIND, NO_ID, RADIUS, T_REF, VX, X
from carom.tables.run_columns import (
    DONE,
    FRAME_END,
    FRAME_LENGTH,
    NOW,
    PAIRS_FULL,
    SORTING,
    STATE_OVERLAP,
)
from carom.tolerances import PLACE_NOISE, SPHERE_LEAD

# Run.count[SORTING] of this broad phase: what is to be done before the next event
IN_FRAME = 1
"""A sort, or a search, ran out of pair slots."""
AT_FRAME = 2
"""A frame has begun, or bodies are new: sort, let those that wait enter, search."""


@inner_kernel
def _straight(bodies, row):
    """Do all ends of the row's bounds move at constant speeds?"""
    return not accelerates(bodies.body, row) and bodies.link[row, FLAGS] != GIVEN_BOUNDS


@inner_kernel
def _end_now(bodies, run, lists, row, d, side):
    """Value, start and speed of an end of `row` in list d, swept from now to the end of the frame."""
    c0, c1, c2, epoch = axis_end(bodies, lists.axes, lists.control[N_SHARED], row, d, side)
    value = extreme(c0, c1, c2, run.param[NOW] - epoch, run.param[FRAME_END] - epoch, side)
    way = c1 * run.param[FRAME_LENGTH]
    start = (c0 - c1 * epoch) + (max(way, 0.0) if side else min(way, 0.0))
    return value, start, c1


@inner_kernel
def spheres_meet(bodies, i, j, now, end, caution):
    """May the bounding spheres of two rows touch from now to `end`? True where that is not a matter of two spheres.

    caution: 1.0 to allow for rounding in favour of a meeting, 0.0 for the bare comparison.
    """
    if bodies.link[i, KIND] == HALF_SPACE or bodies.link[j, KIND] == HALF_SPACE:
        return True
    if bodies.link[i, KIND] == POLLED or bodies.link[j, KIND] == POLLED:
        return True
    if not (_straight(bodies, i) and _straight(bodies, j)):
        return True
    body = bodies.body
    dx, dy, dz, vx, vy, vz, _, _, _ = relative_state(body, i, j, now)
    dx += body[j, CX] - body[i, CX]
    dy += body[j, CX + 1] - body[i, CX + 1]
    dz += body[j, CX + 2] - body[i, CX + 2]
    approach = -(dx * vx + dy * vy + dz * vz)
    if approach > 0.0:
        square = vx * vx + vy * vy + vz * vz
        s = min(end - now, approach / square)
        dx, dy, dz = dx + s * vx, dy + s * vy, dz + s * vz
    reach = (1.0 + caution * SPHERE_LEAD) * (body[i, RADIUS] + body[j, RADIUS])
    noise = 0.0
    for row in (i, j):
        way = end - body[row, T_REF]
        for d in range(3):
            noise += abs(body[row, X + d]) + abs(body[row, VX + d]) * way
    reach += caution * PLACE_NOISE * noise
    return dx * dx + dy * dy + dz * dz <= reach * reach


@inner_kernel
def _stamp_partners(bodies, pairs, lists, row):
    """Mark all rows that have a slot with `row` in AxisLists.stamp; returns the mark."""
    lists.control[STAMP] += 1
    stamp = lists.control[STAMP]
    node = bodies.link[row, HEAD]
    while node != NO_ID:
        lists.stamp[pairs.node[node ^ 1, 0]] = stamp
        node = pairs.node[node, 1]
    return stamp


@inner_kernel
def search(bodies, pairs, run, lists, row, ahead):
    """Begin all pairs of `row` that are close and have no slot; PAIRS_FULL asks to be called again.

    ahead: those whose spheres may touch within the frame, by shared axes only.
    """
    stamp = _stamp_partners(bodies, pairs, lists, row)
    node = np.int64(NO_ID) if ahead else np.int64(bodies.link[row, HEAD])
    while node != NO_ID:
        slot = node >> 1
        if not pairs.state[slot] & STATE_OVERLAP and meet_elsewhere(lists, row, np.int64(pairs.node[node ^ 1, 0]), -1):
            pairs.state[slot] |= STATE_OVERLAP
        node = np.int64(pairs.node[node, 1])
    now, end = run.param[NOW], run.param[FRAME_END]
    shares = lists.control[N_SHARED] > 0
    places = lists.place[0]
    low, high = places[2 * row], places[2 * row + 1]
    for other in range(lists.uses.shape[0]):
        # Most are apart on the first axis, which is read in one go.
        if shares and ((places[2 * other] > high) | (places[2 * other + 1] < low)):
            continue
        if other == row or not lists.inside[other] or lists.stamp[other] == stamp:
            continue
        if not meet_on_shared(lists, row, other) or not collide_groups(bodies, row, other):
            continue
        if ahead:
            meets = spheres_meet(bodies, row, other, now, end, 1.0)
        else:
            meets = meet_elsewhere(lists, row, other, -1)
        if meets:
            if pool_full(pairs, run):
                return PAIRS_FULL
            begin_new_pair(bodies, pairs, run, row, other)
    return DONE


@inner_kernel
def _search_waiting(bodies, pairs, run, lists, row):
    """Begin all pairs of `row`, which is settled, with rows that wait and whose spheres may touch its own within the frame.

    The search of a row that waits left out those whose spheres it could not reach under the motions of that time. PAIRS_FULL
    asks for a whole search once there is more room.
    """
    if lists.control[N_WAITING] == 0:
        return DONE
    stamp = _stamp_partners(bodies, pairs, lists, row)
    now, end = run.param[NOW], run.param[FRAME_END]
    for k in range(lists.control[N_WAITING]):
        other = np.int64(lists.waiting[k])
        if not lists.inside[other] or lists.stamp[other] == stamp:
            continue
        if not meet_on_shared(lists, row, other) or not collide_groups(bodies, row, other):
            continue
        if spheres_meet(bodies, row, other, now, end, 1.0):
            if pool_full(pairs, run):
                return PAIRS_FULL
            begin_new_pair(bodies, pairs, run, row, other)
    return DONE


@inner_kernel
def end_parted(bodies, pairs, run, lists, row):
    """End all pairs of `row` that are not close."""
    node = bodies.link[row, HEAD]
    while node != NO_ID:
        slot, after = slot_and_next(pairs, node)
        if pairs.state[slot] & STATE_OVERLAP and not meet_elsewhere(lists, row, np.int64(pairs.node[node ^ 1, 0]), -1):
            end_close(bodies, pairs, run, lists, slot)
        node = after


@inner_kernel
def _leave_chosen(lists, row):
    """Take `row` out of all lists but the shared ones; returns whether it was in any."""
    left = False
    for w in range(lists.uses.shape[1]):
        bits = lists.uses[row, w]
        while bits != 0:
            lowest = bits & -bits
            d = WORD * w + lowest_place(bits)
            if d >= lists.control[N_SHARED]:
                leave_gaps(lists, row, d)
                lists.uses[row, w] &= ~lowest
                left = True
            bits &= bits - 1
    return left


@inner_kernel
def _wants_more(lists, row):
    """Has the row chosen a list that does not hold it?"""
    for w in range(lists.uses.shape[1]):
        if lists.chosen[row, w] & ~lists.uses[row, w]:
            return True
    return False


@lean_kernel
def wait(lists, row, stage):
    """Put `row` among those that wait."""
    if lists.stage[row] == SETTLED:
        lists.waiting[lists.control[N_WAITING]] = row
        lists.control[N_WAITING] += 1
    lists.stage[row] = stage


@inner_kernel
def enter_waiting(bodies, run, lists):
    """Let every row that waits for it enter the lists that it has chosen; all lists are sorted."""
    close_gaps(lists)
    for d in range(lists.end_id.shape[0]):
        for k in range(lists.control[N_WAITING]):
            row = np.int64(lists.waiting[k])
            if has_axis(lists.chosen, row, d) and not has_axis(lists.uses, row, d):
                for side in range(2):
                    value, start, speed = _end_now(bodies, run, lists, row, d, side)
                    add_fresh(lists, 2 * row + side, value, start, speed)
        merge_fresh(lists, d)
    for k in range(lists.control[N_WAITING]):
        row = np.int64(lists.waiting[k])
        for w in range(lists.uses.shape[1]):
            lists.uses[row, w] = lists.chosen[row, w]
        lists.inside[row] = 1
        lists.stage[row] = TO_SEARCH
    if lists.apart.shape[0] > 0:
        for k in range(lists.control[N_WAITING]):
            count_apart(lists, np.int64(lists.waiting[k]))


@lean_kernel
def settle(bodies, pairs, run, lists):
    """Do what Run.count[SORTING] says; PAIRS_FULL asks to be called again with more room."""
    if sort_lists(bodies, pairs, run, lists, run.count[SORTING] != AT_FRAME) == PAIRS_FULL:
        return PAIRS_FULL
    if run.count[SORTING] == AT_FRAME:
        if lists.control[N_WAITING] > 0:
            enter_waiting(bodies, run, lists)
        run.count[SORTING] = IN_FRAME
    kept = 0
    for k in range(lists.control[N_WAITING]):
        row = np.int64(lists.waiting[k])
        if lists.stage[row] == TO_SEARCH:
            end_parted(bodies, pairs, run, lists, row)
            if search(bodies, pairs, run, lists, row, False) == PAIRS_FULL:
                return PAIRS_FULL
        elif lists.stage[row] == TO_SEARCH_NOW:
            if search(bodies, pairs, run, lists, row, True) == PAIRS_FULL:
                return PAIRS_FULL
            lists.stage[row] = TO_ENTER
    for k in range(lists.control[N_WAITING]):
        row = np.int64(lists.waiting[k])
        if lists.stage[row] == TO_ENTER:
            lists.waiting[kept] = row
            kept += 1
        else:
            lists.stage[row] = SETTLED
    lists.control[N_WAITING] = kept
    run.count[SORTING] = 0
    return DONE


@inner_kernel
def _renew_ends(bodies, run, lists, row, d):
    """Write both ends of `row` in list d as they are swept from now on."""
    for side in range(2):
        p = lists.place[d, 2 * row + side]
        lists.value[d, p], lists.start[d, p], lists.speed[d, p] = _end_now(bodies, run, lists, row, d, side)


@inner_kernel
def _bubble(bodies, pairs, run, lists, row, begin_all):
    """Move the ends of `row` in the shared lists to their places; PAIRS_FULL leaves the rest to a full sort."""
    for d in range(lists.control[N_SHARED]):
        _renew_ends(bodies, run, lists, row, d)
    for d in range(lists.control[N_SHARED]):
        for side in (1, 0, 1):  # the upper end first, so that the lower one finds room when both move up
            if sink(bodies, pairs, run, lists, d, np.int64(lists.place[d, 2 * row + side]), begin_all) == PAIRS_FULL:
                return PAIRS_FULL
            if rise(bodies, pairs, run, lists, d, np.int64(lists.place[d, 2 * row + side]), begin_all) == PAIRS_FULL:
                return PAIRS_FULL
    return DONE


@lean_kernel
def place(bodies, pairs, run, lists, row, done):
    """The motion of `row` is new: bring it to its place, choose its axes, find its partners until the end of the frame.

    done: a row whose pair with this one need not be predicted afresh, NO_ID for none.
    """
    left = _leave_chosen(lists, row)
    if left and lists.apart.shape[0] > 0:
        count_apart(lists, row)
    t = 0.5 * (run.param[NOW] + run.param[FRAME_END])
    choose_axes(bodies, row, t, run.param[FRAME_LENGTH], lists.axes, lists.control[N_SHARED], lists.limit, lists.chosen)
    waits = left or _wants_more(lists, row) or lists.stage[row] != SETTLED
    if waits:
        wait(lists, row, TO_SEARCH_NOW)
    full = _bubble(bodies, pairs, run, lists, row, not waits) == PAIRS_FULL
    retest_pairs(bodies, pairs, run, row, done)
    if waits and not full:
        full = search(bodies, pairs, run, lists, row, True) == PAIRS_FULL
        if not full:
            lists.stage[row] = TO_ENTER
    elif not full:
        full = _search_waiting(bodies, pairs, run, lists, row) == PAIRS_FULL
    if full:
        wait(lists, row, TO_SEARCH_NOW)
        run.count[SORTING] = max(run.count[SORTING], IN_FRAME)


@inner_kernel
def open_frame(bodies, run, lists):
    """Sweep all ends over the frame that begins now; bodies that accelerate choose their axes anew."""
    first = lists.control[N_SHARED]
    t = 0.5 * (run.param[NOW] + run.param[FRAME_END])
    for row in range(lists.uses.shape[0]):
        if not lists.inside[row] or not accelerates(bodies.body, row):
            continue
        if choose_axes(bodies, row, t, run.param[FRAME_LENGTH], lists.axes, first, lists.limit, lists.chosen):
            if _leave_chosen(lists, row) and lists.apart.shape[0] > 0:
                count_apart(lists, row)
            wait(lists, row, TO_ENTER)
    if lists.control[N_WAITING] > 0:
        close_gaps(lists)
    sweep_lists(lists, run.param[NOW])
    for row in range(lists.uses.shape[0]):
        if lists.inside[row] and not _straight(bodies, row):
            for d in range(lists.end_id.shape[0]):
                if has_axis(lists.uses, row, d):
                    _renew_ends(bodies, run, lists, row, d)
    run.count[SORTING] = AT_FRAME
