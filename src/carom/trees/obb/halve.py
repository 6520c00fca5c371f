"""The split step of top-down construction: triangles divided into two halves along a direction."""

from __future__ import annotations

from carom._compile.jit import inner_kernel, lean_kernel


@lean_kernel
def halve(tris, order, keys, first, count, x, y, z):
    """Reorder order[first : first + count]: the lower half along (x, y, z) comes first.

    tris (m, 9); keys (m,) is overwritten with three times the position of each middle.
    """
    for k in range(first, first + count):
        t = tris[order[k]]
        keys[k] = (t[0] + t[3] + t[6]) * x + (t[1] + t[4] + t[7]) * y + (t[2] + t[5] + t[8]) * z
    lower_half_first(order, keys, first, count)


@inner_kernel
def lower_half_first(order, keys, first, count):
    """Reorder order[first : first + count] and keys with it: those with the lower half of the keys first (Hoare's select)."""
    target = first + count // 2
    lo, hi = first, first + count - 1
    while lo < hi:
        pivot = keys[(lo + hi) // 2]
        i, j = lo, hi
        while i <= j:
            while keys[i] < pivot:
                i += 1
            while keys[j] > pivot:
                j -= 1
            if i <= j:
                keys[i], keys[j] = keys[j], keys[i]
                order[i], order[j] = order[j], order[i]
                i += 1
                j -= 1
        if j < target:
            lo = i
        if target < i:
            hi = j
