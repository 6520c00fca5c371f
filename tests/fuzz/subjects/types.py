"""Public callables with arguments of every type: one value written in two ways gives one result, and a wrong one is refused.

A refusal is an error of carom that names the argument, in one line, before anything is computed: no warning, no other error.
What a call is given may be overwritten afterwards.
"""

from __future__ import annotations

import inspect
import math
from typing import Any

import numpy as np

from fuzz import outcome
from fuzz.cases.targets import TARGETS, Code, Rows, Target, Word
from fuzz.failure import Failure

_EXTREME = (
    "1e15", "-1e15", "1e16", "2**70", "-2**70", "2.0**70", "5e-324", "-5e-324", "1e-310", "-0.0", "1e30", "-1e30", "1e31",
    "1e-31", "1e154", "1.7976931348623157e308", "float('inf')", "float('-inf')", "float('nan')", "0.0", "-1.0", "0.1",
    "1e-9", "1e300",
)  # fmt: skip
"""Numbers that doubles hold, or that are too large for them."""
_WRONG = (
    "None", "'fast'", "'1.0'", "''", "'x' * 10**6", "'\\x00'", "b'12'", "{'x': 1.0}", "[[1.0, 2.0], [3.0]]", "[[[[1.0]]]]",
    "1.0 + 2.0j", "np.ones((2, 3), complex)", "True", "np.True_", "np.ones((2, 3), bool)", "(x for x in (1.0, 2.0, 3.0))",
    "np.ma.masked_array([1.0, 2.0, 3.0], [0, 1, 0])", "np.ma.masked", "np.ma.masked_array(1.0, True)",
    "datetime.datetime(2020, 1, 1)", "np.datetime64('2020-01-01')", "np.timedelta64(1, 's')", "10**400", "-10**5000",
    "[10**400, 1, 2]", "Fraction(10**5000, 3)", "Fraction(-10**5000, 10**5000 + 1)", "Decimal('NaN')", "Decimal('sNaN')",
    "Decimal('1E+400')", "Decimal('-Infinity')", "np.longdouble('1e4000')", "np.longdouble('nan')", "object()",
    "np.array(object())", "np.array([object()] * 3)", "np.array('a')", "np.array(['1', '2', '3'])", "[]", "()",
    "np.empty((0, 3))", "np.empty((3, 0))", "np.zeros(3, [('x', float)])", "carom.Sphere", "len", "carom.Sphere(1.0)",
    "carom.Motion()", "[None, None, None]", "{1.0, 2.0, 3.0}", "range(3)", "Hostile()", "[Hostile()]", "np.array([Hostile()])",
    "np.float32('nan')", "np.float16('inf')", "np.array([np.nan, 0, 0])", "np.array([np.inf] * 4)", "-1", "0", "1.5", "99",
    "2**31", "2**63", "-2**63 - 1", "np.uint64(2**64 - 1)", "np.int64(-2**63)", "[2**63, 0, 1]", "[[1e30, 0, 1]]",
    "[[-1, 0, 1]]", "[[0.5, 0, 1]]", "[0, 0]", "[10**9]", "memoryview(b'abc')", "array('b', [1, 2, 3])", "slice(3)", "...",
    "NotImplemented",
)  # fmt: skip


def cases(seed: int) -> None:
    """Run one case; raises Failure with its script."""
    script = _script(np.random.default_rng(seed))
    try:
        exec(compile(script, f"types, seed {seed}", "exec"), {"__name__": "case"})
    except Exception as error:  # whatever it is, it is wrong
        words = str(error).replace("\n", " ")[:500] or type(error).__name__
        raise Failure(f'"""{words.replace(chr(34), chr(39))} (seed {seed})"""\n{script}') from None


def _script(rng: np.random.Generator) -> str:
    target = TARGETS[rng.integers(len(TARGETS))]
    changed = [str(name) for name in rng.permutation(list(target.good))[: 1 + (rng.random() < 0.2)]]
    plain = {name: _plain(value) for name, value in target.good.items()}
    other, wrong = dict(plain), False
    for name in changed:
        good = target.good[name]
        kind = rng.random()
        if kind < 0.35 or isinstance(good, Code) or good is None:
            other[name], wrong = str(rng.choice(_WRONG)), True
        elif kind < 0.55 and isinstance(good, float):
            plain[name] = str(rng.choice(_EXTREME))
            other[name] = _in_another_type(rng, plain[name])
        elif kind < 0.55 and isinstance(good, list) and not isinstance(good, Rows):
            array = f"np.array({good!r})"
            at = tuple(int(rng.integers(n)) for n in np.shape(good))
            plain[name] = f"with_number({array}, {at}, {rng.choice(_EXTREME)})"
            other[name] = _array_in_another_type(rng, plain[name])
        else:
            other[name] = _other_form(rng, good)
    return _written(target, plain, other, wrong, bool(rng.random() < 0.5))


def _plain(value: Any) -> str:
    """Source of a good value, as the documentation has it."""
    if isinstance(value, Code):
        return str(value)
    if isinstance(value, Word):
        return repr(str(value))
    if isinstance(value, list):
        return f"np.array({list(value)!r})"
    return repr(value)


def _in_another_type(rng: np.random.Generator, number: str) -> str:
    """The same number, in a type that holds it exactly."""
    try:
        value = float(eval(number))
    except OverflowError:
        return number
    forms = [
        f"np.float64({number})",
        f"np.longdouble({number})",
        f"np.array(float({number}))",
        f"np.ma.array(float({number}))",
    ]
    if math.isfinite(value) and number != "-0.0":  # which fractions and whole numbers do not hold
        forms += [f"Fraction({number})", f"Decimal({number})"]
        if value == int(value) and abs(value) < 2**63:
            forms += [f"int({number})", f"np.int64(int({number}))"]
    with np.errstate(over="ignore", under="ignore"):
        if float(np.float32(value)) == value or value != value:
            forms.append(f"np.float32({number})")
    return str(rng.choice(forms))


_ARRAY_FORMS = (
    "{0}.tolist()", "np.asfortranarray({0})", "{0}[::-1].copy()[::-1]", "np.repeat({0}, 2, axis=0)[::2]", "{0}.astype('>f8')",
    "read_only({0})", "np.ma.array({0})", "{0}.view(Row)", "{0}.astype(np.longdouble)", "{0}.astype(object)",
    "[np.float64(each) for each in {0}] if {0}.ndim == 1 else [each for each in {0}]", "tuple({0}.tolist())",
)  # fmt: skip
"""An array of doubles in other forms."""
_OF_DOUBLES = ("float64", "f8", "longdouble", "object")
"""In forms that whole numbers, ids say, are not given in."""
_FLOATS = ("np.float16", "np.float32", "'>f4'")
"""Other types of numbers, which hold the good values exactly."""


def _array_in_another_type(rng: np.random.Generator, array: str) -> str:
    return str(rng.choice(_ARRAY_FORMS)).format(array)


def _other_form(rng: np.random.Generator, good: Any) -> str:
    """A good value in another form."""
    if isinstance(good, bool):
        return f"np.bool_({good})"
    if isinstance(good, Word):
        return f"np.str_({str(good)!r})"
    if isinstance(good, int):
        return f"np.{rng.choice(['int8', 'uint8', 'int32', 'uint64', 'int64'])}({good})"
    if isinstance(good, float):
        kinds = "np.float16({0})", "np.float32({0})", "Fraction({0})", "Decimal({0})", "np.array({0}, np.float32)"
        return str(rng.choice(kinds)).format(repr(good))
    array = f"np.array({list(good)!r})"
    forms = [
        form for form in _ARRAY_FORMS if not isinstance(good, Rows) or not any(word in form for word in _OF_DOUBLES)
    ]
    kinds = ("np.int8", "np.uint8", "np.int32", "'>i4'", "np.uint64") if isinstance(good, Rows) else _FLOATS
    return str(rng.choice([*forms, *(f"{{0}}.astype({kind})" for kind in kinds)])).format(array)


def _written(target: Target, plain: dict[str, str], other: dict[str, str], wrong: bool, spoil: bool) -> str:
    """The case as a program."""

    def run(into: str, arguments: dict[str, str], spoil: bool) -> str:
        given = ", ".join(f"{name!r}: {value}" for name, value in arguments.items())
        setup = f"{target.setup}\n" if target.setup else ""
        return f"{setup}arguments = {{{given}}}\n{into} = outcome({target.call}, lambda: ({target.look}), arguments, {spoil})\n"

    check = (
        f"check_refused(*other, {list(target.good)!r})"
        if wrong
        else f"check_alike(plain, other, {list(target.good)!r})"
    )
    first = "" if wrong else run("plain", plain, False)
    return f"{inspect.getsource(outcome)}\n{_HELP}\n{first}{run('other', other, spoil)}{check}\n"


_HELP = """
def with_number(values, at, number):
    values = values.astype(float)
    values[at] = number if abs(number) < 1e308 else np.inf
    return values


def read_only(values):
    values = values.copy()
    values.setflags(write=False)
    return values

"""
