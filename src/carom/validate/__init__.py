"""Checks of arguments: each returns a clean value, or raises InvalidInputError before anything changes. Words for messages."""
# ruff: noqa: I001  (the imports are a list, not one line per name)

from carom.validate.arrays import (
    array, bounded, face_rows, in_range, is_plain, moments, placed, real_numbers, rows, spread, table_of_rows,
    unit_quaternion, unit_quaternions, unit_rows, vector,
)  # fmt: skip
from carom.validate.numbers import (
    EVERY_DOUBLE, endless, is_real, is_whole, limit, mass, moment, number, one_of, positive, several, size, text,
    threads, truth, whole,
)  # fmt: skip
from carom.validate.words import (
    counted, few, printable, shown, unknown_name, with_article,
)  # fmt: skip

__all__ = [
    "EVERY_DOUBLE", "array", "bounded", "counted", "endless", "face_rows", "few", "in_range", "is_plain", "is_real",
    "is_whole", "limit", "mass", "moment", "moments", "number", "one_of", "placed", "positive", "printable",
    "real_numbers", "rows", "several", "shown", "size", "spread", "table_of_rows", "text", "threads", "truth",
    "unit_quaternion", "unit_quaternions", "unit_rows", "unknown_name", "vector", "whole", "with_article",
]  # fmt: skip
