"""Descriptions of what was expected where pydantic found a fault."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_WORDS = {
    "bool_parsing": "true or false",
    "bool_type": "true or false",
    "dict_type": "a table",
    "finite_number": "a finite number",
    "float_parsing": "a number",
    "float_type": "a number",
    "int_from_float": "a whole number",
    "int_parsing": "a whole number",
    "int_parsing_size": "a smaller number",
    "int_type": "a whole number",
    "list_type": "a list",
    "model_attributes_type": "a table",
    "model_type": "a table",
    "path_type": "a path",
    "string_too_short": "some text",
    "string_type": "text",
}

_WITH_BOUNDS = {
    "greater_than": "a number above {gt:g}",
    "greater_than_equal": "{ge:g} or more",
    "less_than": "a number below {lt:g}",
    "less_than_equal": "{le:g} or less",
    "literal_error": "{expected}",
    # Lists of a fixed length are vectors, quaternions, sizes and triangles: all are numbers.
    "too_long": "{max_length} numbers, not {actual_length}",
    "too_short": "{min_length} numbers, not {actual_length}",
}


def expected_words(fault: Mapping[str, Any]) -> str:
    """Return what one entry of ValidationError.errors() expected; pydantic's message for unknown kinds."""
    kind = fault["type"]
    if kind in _WORDS:
        return _WORDS[kind]
    if kind in _WITH_BOUNDS:
        return _WITH_BOUNDS[kind].format(**fault["ctx"])
    return str(fault["msg"]).removeprefix("Input should be ")
