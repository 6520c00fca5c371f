"""The plans of bodies in a kinetic grid: each body knows the earliest event with any of its neighbours, and no other.

A plan may be outdated: its partner's motion may have changed since. Then its time is still not after any event of the body
with a neighbour whose motion did not change, and those that changed have planned themselves. So for every pair of
neighbours the plan of one of the two is not after their event, and an outdated plan is made anew when it comes due.
"""

from __future__ import annotations

from math import inf

import numpy as np

from carom._compile.address_call import call_float
from carom._compile.jit import inline_kernel, inner_kernel, lean_kernel
from carom._compile.prefetch import prefetch_row
from carom.engine.addresses import bodies_at, pairs_at, run_at
from carom.engine.events.order import STRUCTURE_TIE, pair_tie
from carom.engine.events.pairs import collide_groups, find_pair
from carom.engine.events.predict import spheres_touch, test_lead
from carom.engine.kinetic_grid.attention import meets_at_contact
from carom.engine.kinetic_grid.cells import (
    CELL_LEVEL,
    COMMON,
    FALLS,
    NAME,
    PLAN_CHANGES,
    PLAN_CROSSING,
    PLAN_PAIR,
    PLAN_PARTNER,
    PLAN_SEEN,
    PLAN_WALL,
    WIDE,
    grid_at,
)
from carom.engine.kinetic_grid.gathering import gather_near
from carom.engine.kinetic_grid.images import apart, image_into
from carom.engine.kinetic_grid.pairs import neighbours
from carom.engine.kinetic_grid.walls import next_wall
from carom.maths.ball import enter_ball_on_approach
from carom.maths.quadratic import enter_linear
from carom.queues.in_kernels import queue_set
from carom.shapes.kind import HALF_SPACE, POLLED, SPHERE
from carom.tables import run_columns as col
from carom.tables.body_columns import AX, CX, FLAGS, GIVEN_BOUNDS, ID, KIND, NO_ID, RADIUS, T_REF, VX, X
from carom.tolerances import EPSILON, SQUARE_SLACK, SURELY_LATER

ANNOUNCED = 3
"""In place of a coordinate: a row without an end is to be added to a plan."""


PLANE = inf
"""In place of a radius in Grid.hot: a half-space at rest, with its normal in place of a velocity."""
OTHER = -inf
"""In place of a radius in Grid.hot: what accelerates, is polled, or is a plane that moves."""


@inline_kernel
def warm_row(bodies, grid, row):
    """Bring the copy of a body's motion in Grid.hot up to date."""
    body, hot = bodies.body, grid.hot
    kind = bodies.link[row, KIND]
    grid.note[row, NAME] = 2 * bodies.link[row, ID] + (kind == SPHERE or kind == HALF_SPACE)
    falls = grid.frame[FALLS] != 0.0
    straight = rests = True
    for d in range(3):
        straight &= body[row, AX + d] == grid.frame[COMMON + d]
        rests &= body[row, AX + d] == 0.0 and body[row, VX + d] == 0.0
    for d in range(6):
        hot[row, d] = body[row, X + d]
    hot[row, 6] = body[row, T_REF]
    hot[row, 7] = OTHER
    if kind == HALF_SPACE:
        if rests:
            hot[row, 7] = PLANE
            for d in range(3):
                hot[row, 3 + d] = body[row, CX + d]
    elif bodies.link[row, FLAGS] == GIVEN_BOUNDS:
        pass  # its bounds do not move as it does
    elif straight and kind == SPHERE and not falls:
        hot[row, 7] = body[row, RADIUS]
    elif straight and kind != POLLED:
        hot[row, 7] = -(body[row, RADIUS] + 2.0 * test_lead(body, row, row, body[row, RADIUS]))
        for d in range(3):
            hot[row, d] += body[row, CX + d]


@inline_kernel
def plan_tie(note, i, j):
    """Place of the event of rows i, j among simultaneous ones."""
    low, high = min(note[i, NAME], note[j, NAME]), max(note[i, NAME], note[j, NAME])
    return pair_tie(low >> 1, high >> 1, low & high & 1 == 1)


@inner_kernel
def _barred(bodies, pairs, i, j):
    """Are rows i and j not to meet: because of their groups, or because the pair has an event of its own?"""
    return not collide_groups(bodies, i, j) or find_pair(bodies, pairs, i, j) != NO_ID


@inline_kernel
def _accepted(bodies, pairs, run, grid, i, j, t, best, partner):
    """Is the event of rows i, j at t <= best to replace that of rows i, partner at `best`?"""
    note = grid.note
    if t == best and (partner == NO_ID or plan_tie(note, i, partner) <= plan_tie(note, i, j)):
        return False
    # In a gas there are neither filters nor pairs.
    return (run.count[col.FILTERED] == 0 and run.count[col.N_PAIRS] == 0) or not _barred(bodies, pairs, i, j)


@inline_kernel
def earliest(table, bodies, pairs, run, grid, i, n, best, partner):
    """Earliest of `best`, the event of row i with `partner`, and its events with the rows near[:n]: (time, partner)."""
    hot, near = grid.hot, grid.near
    now = run.param[col.NOW]
    run.count[col.PAIR_TESTS] += n
    xi, yi, zi, ui, vi, wi, ti, ri = (
        hot[i, 0], hot[i, 1], hot[i, 2], hot[i, 3], hot[i, 4], hot[i, 5], hot[i, 6], hot[i, 7],
    )  # fmt: skip
    shift = run.param[col.SHIFT : col.SHIFT + 3]
    periodic = run.count[col.PERIODIC] != 0
    size_i = abs(ri)
    falls = grid.frame[FALLS] != 0.0
    gx, gy, gz = grid.frame[COMMON], grid.frame[COMMON + 1], grid.frame[COMMON + 2]
    px = py = pz = sx = sy = sz = 0.0
    # A time that rounds to `best` is as early: names decide.
    latest = best + EPSILON * abs(best)
    for k in range(n):
        j = np.int64(near[k])
        rj = hot[j, 7]
        r = size_i + abs(rj)
        if r < inf:
            # For two balls the same state, to the last bit, as carom.engine.events.row_motion.relative_state.
            tj = hot[j, 6]
            t0 = max(ti, tj)
            hi = t0 - ti
            hj = t0 - tj
            if periodic and apart(grid, i, j):
                image_into(bodies, grid, i, j, shift)
                moves_j = bodies.link[i, ID] < bodies.link[j, ID]
                sx, sy, sz = (shift[0], shift[1], shift[2]) if moves_j else (0.0, 0.0, 0.0)
                px, py, pz = (0.0, 0.0, 0.0) if moves_j else (shift[0], shift[1], shift[2])
            elif periodic:
                px = py = pz = sx = sy = sz = 0.0
            dx = ((hot[j, 0] + sx) + hot[j, 3] * hj) - ((xi + px) + ui * hi)
            dy = ((hot[j, 1] + sy) + hot[j, 4] * hj) - ((yi + py) + vi * hi)
            dz = ((hot[j, 2] + sz) + hot[j, 5] * hj) - ((zi + pz) + wi * hi)
            vx = hot[j, 3] - ui
            vy = hot[j, 4] - vi
            vz = hot[j, 5] - wi
            if falls:  # their epochs differ; only bounding spheres come this way
                more, faster = 0.5 * (hj * hj - hi * hi), hj - hi
                dx, dy, dz = dx + gx * more, dy + gy * more, dz + gz * more
                vx, vy, vz = vx + gx * faster, vy + gy * faster, vz + gz * faster
            b = dx * vx + dy * vy + dz * vz
            c = (dx * dx + dy * dy + dz * dz) - r * r
            vv = vx * vx + vy * vy + vz * vz
            # Most neighbours part, pass by or meet later (a time is not before c / -2b): one branch for all.
            meet = (b < 0.0) & (SQUARE_SLACK * (b * b) > vv * c) & (c <= SURELY_LATER * -b * (latest - t0))
            if not (meet | (c <= 0.0)) or j == i:
                continue
            if ri >= 0.0 and rj >= 0.0:
                t = t0 + enter_ball_on_approach(dx, dy, dz, vx, vy, vz, r, b, c, vv)
                # A contact in the past that the pool has forgotten was reported; now they part for good.
                if t < now and b + vv * (now - t0) >= 0.0:
                    continue
            else:
                t = call_float(run.count[col.ATTENTION_ADDRESS], (table.ctypes.data, table.shape[0], i, j, best))
        elif j == i or (ri == PLANE and rj == PLANE):
            continue
        elif 0.0 <= ri < inf and rj == PLANE:
            # The same gap, to the last bit, as carom.engine.events.predict.simple_polynomial for a plane at rest.
            vx = hot[j, 3] * ui + hot[j, 4] * vi + hot[j, 5] * wi
            if vx >= 0.0:
                continue
            t0 = max(ti, hot[j, 6])
            hi = t0 - ti
            dx = (xi + ui * hi) - hot[j, 0]
            dy = (yi + vi * hi) - hot[j, 1]
            dz = (zi + wi * hi) - hot[j, 2]
            c = hot[j, 3] * dx + hot[j, 4] * dy + hot[j, 5] * dz - (bodies.body[j, RADIUS] + ri)
            t = t0 + enter_linear(c, vx, 0.0)
        else:
            t = call_float(run.count[col.ATTENTION_ADDRESS], (table.ctypes.data, table.shape[0], i, j, best))
        if t <= best and t < inf and _accepted(bodies, pairs, run, grid, i, j, t, best, partner):
            best, partner = t, j
            latest = best + EPSILON * abs(best)
    return best, partner


@inline_kernel
def _gather_wide(run, grid, i, n):
    """Append all rows without an end, save i, to near[:n]."""
    for k in range(run.count[col.N_WIDE]):
        grid.near[n] = grid.wide[k]
        n += grid.wide[k] != i
    return n


@inline_kernel
def plan_row(table, bodies, pairs, run, grid, i, d, step, wide):
    """Plan the next event of row i.

    d < 0: afresh from all its neighbours, after its motion changed or its plan was found outdated; a row without an end
    plans only with others of its kind. d = 0, 1, 2: it stepped into the next cell along d and adds its new neighbours to
    its plan. d = ANNOUNCED: it adds row `wide`, which has no end and a new motion.
    """
    before, seen, best = NO_ID, np.int32(0), inf
    n = 0
    if d >= 0:
        before, seen, best = np.int64(grid.note[i, PLAN_PARTNER]), grid.note[i, PLAN_SEEN], grid.hot[i, PLAN_PAIR]
    if d == ANNOUNCED:
        grid.near[0] = wide
        n = 1
    elif grid.note[i, CELL_LEVEL] == WIDE:
        grid.hot[i, PLAN_CROSSING] = inf
        n = _gather_wide(run, grid, i, 0)
    else:
        grid.hot[i, PLAN_CROSSING], grid.note[i, PLAN_WALL] = next_wall(bodies, grid, i, run.param[col.NOW])
        n = gather_near(grid, i, d, step)
        run.count[col.SEARCHED] += 3 if d < 0 else 1
        run.count[col.FOUND] += n
        if d < 0:
            n = _gather_wide(run, grid, i, n)
        else:
            for k in range(n):
                prefetch_row(grid.hot, np.int64(grid.near[k]))
    t, partner = earliest(table, bodies, pairs, run, grid, i, n, best, before)
    grid.hot[i, PLAN_PAIR] = t
    grid.note[i, PLAN_PARTNER] = partner
    if partner != NO_ID:
        grid.note[i, PLAN_SEEN] = seen if partner == before else grid.note[partner, PLAN_CHANGES]
    crossing = grid.hot[i, PLAN_CROSSING]
    if crossing <= t:
        queue_set(grid.keys, grid.ties, grid.links, i, crossing, STRUCTURE_TIE)
    else:
        queue_set(grid.keys, grid.ties, grid.links, i, t, plan_tie(grid.note, i, partner))


@lean_kernel
def plan_rows(table, rows):
    """Plan rows afresh; those without an end are made known to all others."""
    bodies, pairs, run, grid = bodies_at(table), pairs_at(table), run_at(table), grid_at(table)
    for k in range(rows.shape[0]):
        row = np.int64(rows[k])
        announced = grid.note[row, CELL_LEVEL] == WIDE
        for i in range(-1, grid.note.shape[0] if announced else 0):
            if i < 0 or grid.note[i, CELL_LEVEL] >= 0:
                plan_row(table, bodies, pairs, run, grid, row if i < 0 else i, -1 if i < 0 else ANNOUNCED, 0, row)


@inner_kernel
def _surely_apart(bodies, run, i, j, planned):
    """Do the bounding spheres of rows i and j stay apart until `planned`?"""
    if bodies.link[i, KIND] == POLLED or bodies.link[j, KIND] == POLLED:
        return False
    now = run.param[col.NOW]
    return spheres_touch(bodies.body, bodies.link, run, i, j, now, now, 0.0) >= planned


@lean_kernel
def unplanned_pair(table, rows, tolerance, found):
    """Write into `found` (2,) two neighbours whose event comes before the plans of both; False when there are none.

    The times of exact tests depend, by rounding, on the time at which they were planned: hence the tolerance, in seconds, and
    per second from now on. It is enough that bounding spheres are still apart at the planned time: bodies that come together
    slowly turn the same rounding into a longer time, and a plan leaves out neighbours whose spheres touch after it, which an
    eager test would be due for at once.

    Rows of a pool pair have an event of their own.
    """
    bodies, pairs, run, grid = bodies_at(table), pairs_at(table), run_at(table), grid_at(table)
    for k in range(rows.shape[0]):
        i = np.int64(rows[k])
        if grid.note[i, CELL_LEVEL] == WIDE:
            continue
        n = _gather_wide(run, grid, i, gather_near(grid, i, -1, 0))
        others = np.int64(n)
        for m in range(others):
            j = np.int64(grid.near[m])
            grid.near[0], grid.near[m] = grid.near[m], grid.near[0]
            t, partner = earliest(table, bodies, pairs, run, grid, i, 1, inf, NO_ID)
            grid.near[0], grid.near[m] = grid.near[m], grid.near[0]
            planned = min(grid.hot[i, PLAN_PAIR], grid.hot[j, PLAN_PAIR])
            if partner != j or t >= planned:
                continue
            # Buckets hold cells that are far apart too. A polled pair in such cells is not in the pool and needs no plan.
            polled = bodies.link[i, KIND] == POLLED or bodies.link[j, KIND] == POLLED
            if polled and run.count[col.PERIODIC] == 0 and not neighbours(grid, i, j):
                continue
            if not meets_at_contact(bodies.link, i, j) and (
                t >= planned - tolerance * (1.0 + planned - run.param[col.NOW])
                or _surely_apart(bodies, run, i, j, planned)
            ):
                continue
            found[0], found[1] = i, j
            return True
    return False
