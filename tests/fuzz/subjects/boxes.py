"""Pairs of boxes: box_pairs and BoxPairs against comparing all, in 1 to 4 dimensions, with ties, points and infinite ends."""

from __future__ import annotations

from typing import Any

import numpy as np

import carom
from fuzz.cases.calls import source
from fuzz.cases.generate import pick
from fuzz.failure import check_case


def cases(seed: int) -> None:
    """Run one random case."""
    check_case(seed, random_case, _fault, script)


def random_case(rng: np.random.Generator) -> dict[str, Any]:
    dimensions = int(rng.integers(1, 5))
    scale = 10.0 ** rng.uniform(-6.0, 6.0)
    counts = [int(pick(rng, (0, 1, 2, 10, 60, 200, 600))) for _ in range(2)]
    sets = [_boxes(rng, n, dimensions, scale) for n in counts]
    steps = []
    boxes = sets[0]
    for _ in range(int(rng.integers(0, 5))):
        boxes = _moved(rng, boxes, scale)
        steps.append(boxes)
    return {"boxes": sets[0], "others": sets[1], "steps": steps, "dimensions": dimensions}


def _boxes(rng: np.random.Generator, n: int, dimensions: int, scale: float) -> list[list[list[float]]]:
    """Boxes as [lower, upper]; sizes over some powers of ten, some points, some on a grid, some without end."""
    lower = rng.uniform(-1.0, 1.0, (n, dimensions)) * scale * n ** (1.0 / dimensions)
    size = (
        scale * 10.0 ** rng.uniform(-2.0, pick(rng, (0.0, 0.5, 2.0)), (n, 1)) * rng.uniform(0.1, 1.0, (n, dimensions))
    )
    size[rng.random(n) < 0.1] = 0.0
    if rng.random() < 0.4:
        lower, size = np.round(lower / scale) * scale, np.round(size / scale) * scale
    upper = lower + size
    lower[rng.random((n, dimensions)) < 0.01] = -np.inf
    upper[rng.random((n, dimensions)) < 0.01] = np.inf
    return [[low, high] for low, high in zip(lower.tolist(), upper.tolist(), strict=True)]


def _moved(rng: np.random.Generator, boxes: list[Any], scale: float) -> list[Any]:
    share, step = pick(rng, (0.0, 0.02, 0.3, 1.0)), scale * pick(rng, (1e-9, 0.05, 1.0, 100.0))
    moved = []
    for low, high in boxes:
        shift = rng.normal(size=len(low)) * step * (rng.random() < share)
        moved.append([(low + shift).tolist(), (high + shift).tolist()])
    return moved


def _ends(boxes: list[Any], dimensions: int) -> tuple[np.ndarray, np.ndarray]:
    both = np.array(boxes, float).reshape(len(boxes), 2, dimensions)
    return np.ascontiguousarray(both[:, 0]), np.ascontiguousarray(both[:, 1])


def script(case: dict[str, Any]) -> str:
    return (
        "import numpy as np\n\nimport carom\n\n"
        + "".join(f"{name} = {source(value)}\n" for name, value in case.items())
        + "def ends(boxes):\n    return np.moveaxis(np.array(boxes, float).reshape(len(boxes), 2, dimensions), 1, 0)\n\n"
        "print(carom.boxes.box_pairs(*ends(boxes)), carom.boxes.box_pairs(*ends(boxes), *ends(others)))\n"
        "moving = carom.boxes.BoxPairs(*ends(boxes))\n"
        "for step in steps:\n    print(moving.update(*ends(step)), moving.pairs())\n"
    )


def _all(lo: np.ndarray, hi: np.ndarray, other_lo: np.ndarray, other_hi: np.ndarray) -> np.ndarray:
    """Pairs of all boxes that overlap, in order."""
    return np.argwhere(((lo[:, None] <= other_hi) & (other_lo <= hi[:, None])).all(axis=2))


def _fault(case: dict[str, Any]) -> str | None:
    dimensions = case["dimensions"]
    first, second = _ends(case["boxes"], dimensions), _ends(case["others"], dimensions)
    own = _all(*first, *first)
    own = own[own[:, 0] < own[:, 1]]
    for threads in (1, 2):
        if not np.array_equal(carom.boxes.box_pairs(*first, threads=threads), own):
            return f"box_pairs: other pairs than all against all, threads={threads}"
        if not np.array_equal(carom.boxes.box_pairs(*first, *second, threads=threads), _all(*first, *second)):
            return f"between: other pairs than all against all, threads={threads}"
    moving = carom.boxes.BoxPairs(*first)
    before = {tuple(pair) for pair in own.tolist()}
    for k, step in enumerate(case["steps"]):
        if len(step) != len(case["boxes"]):
            return None  # made smaller, and no case any more
        ends = _ends(step, dimensions)
        began, ended = moving.update(*ends)
        now = {(i, j) for i, j in _all(*ends, *ends).tolist() if i < j}
        if {tuple(p) for p in np.asarray(moving.pairs()).tolist()} != now:
            return f"BoxPairs: other pairs after update {k}"
        if {tuple(p) for p in began.tolist()} != now - before or {tuple(p) for p in ended.tolist()} != before - now:
            return f"BoxPairs: update {k} tells other changes"
        moving.check()
        before = now
    return None
