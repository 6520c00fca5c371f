"""What no public function should accept where it expects numbers, arrays, words or objects of carom."""

from __future__ import annotations

import datetime
from fractions import Fraction
from typing import Any

import numpy as np

import carom


class Hostile:
    """Not a number, and its own methods fail."""

    def __repr__(self) -> str:
        raise RuntimeError("no words")

    def __float__(self) -> float:
        raise AttributeError("no number")


def junk_values() -> dict[str, Any]:
    """Values by name, made anew, since generators are used up."""
    return {
        "text": "fast",
        "number as text": "1.0",
        "empty text": "",
        "bytes": b"12",
        "none": None,
        "dict": {"x": 1.0},
        "ragged": [[1.0, 2.0], [3.0]],
        "nested": [[[[1.0]]]],
        "complex": 1.0 + 2.0j,
        "complex array": np.ones((2, 3), complex),
        "truth": True,
        "truths": np.ones((2, 3), bool),
        "generator": (x for x in (1.0, 2.0, 3.0)),
        "masked": np.ma.masked_array([1.0, 2.0, 3.0], [0, 1, 0]),
        "date": datetime.datetime(2020, 1, 1),
        "dates": np.array(["2020-01-01"], "datetime64[D]"),
        "huge": 10**400,
        "large": 2**70,
        "huge list": [10**400, 1, 2],
        "scalar array": np.array(1.5),
        "scalar row": np.array(0),
        "array of one": np.array([1.0]),
        "scalar text": np.array("a"),
        "set": {1.0, 2.0, 3.0},
        "object": object(),
        "objects": np.array([object(), object(), object()]),
        "hostile": Hostile(),
        "hostile list": [Hostile()],
        "list of text": ["a", "b", "c"],
        "list of none": [None, None, None],
        "class": carom.Sphere,
        "function": len,
        "empty": [],
        "nan": float("nan"),
        "infinity": float("inf"),
        "negative": -1,
        "fraction": Fraction(-1, 3),
        "structured": np.zeros(3, [("x", float)]),
        "shape": carom.Sphere(1.0),
        "motion": carom.Motion(),
    }
