"""What a fuzzer raises, how it searches a smaller case that still fails, and the script it leaves."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

import carom
from fuzz.cases.calls import simpler
from fuzz.cases.refused import Refused

_SHRINK_SECONDS = 15.0
"""Time that a search for a smaller case may take."""


class Failure(Exception):
    """A case in which carom is wrong. script: a stand-alone Python program that shows it."""

    def __init__(self, script: str) -> None:
        super().__init__(script)
        self.script = script


def check_case(
    seed: int,
    random_case: Callable[[np.random.Generator], dict[str, Any]],
    fault: Callable[[dict[str, Any]], str | None],
    script: Callable[[dict[str, Any]], str],
) -> None:
    """Run one random case. Raises Failure with the script of a smaller case in which the same is wrong.

    fault: what is wrong, "kind: details", or None. A case that carom refuses while shapes and motions are made is no case.
    """
    case = random_case(np.random.default_rng(seed))
    wrong = _fault_of(case, fault)
    if wrong is None:
        return
    case, wrong = _shrunk(case, wrong, fault)
    head = f'"""{wrong} (seed {seed})"""\n'
    raise Failure(head + script(case))


def _fault_of(case: dict[str, Any], fault: Callable[[dict[str, Any]], str | None]) -> str | None:
    try:
        return fault(case)
    except Refused:
        return None
    except carom.CaromError as error:
        return f"raised {type(error).__name__}: {error}"
    except (ArithmeticError, AssertionError, AttributeError, LookupError, RuntimeError, TypeError, ValueError) as error:
        return f"raised {type(error).__name__}: {error}"


def _kind(wrong: str) -> str:
    return wrong.partition(":")[0]


def _shrunk(
    case: dict[str, Any], wrong: str, fault: Callable[[dict[str, Any]], str | None]
) -> tuple[dict[str, Any], str]:
    """Greedy: take the first simpler case that fails in the same way, and start over, until none does or time is up."""
    deadline = time.monotonic() + _SHRINK_SECONDS
    found = True
    while found:
        found = False
        for smaller in simpler(case):
            if time.monotonic() > deadline:
                return case, wrong
            still = _fault_of(smaller, fault)
            if still is not None and _kind(still) == _kind(wrong):
                case, wrong, found = smaller, still, True
                break
    return case, wrong
