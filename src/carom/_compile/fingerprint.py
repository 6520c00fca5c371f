"""What a compiled function is made of, as a digest: its bytecode, its constants, and all that it reaches by name.

The kernel cache is keyed by it. Editing a function changes the digests of that function and of its callers, and of nothing
else; comments, docstrings, line numbers and the order of functions in a file change none.
"""

from __future__ import annotations

import enum
import functools
import hashlib
import importlib.util
import inspect
import re
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numba.core.ccallback import CFunc
from numba.core.dispatcher import Dispatcher
from numba.core.extending import _Intrinsic
from numba.core.types import Type

_PACKAGE = __name__.partition(".")[0]
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")


def fingerprint(function: Any) -> str:
    """Digest of a Python function, or of a compiled one with its options, and of everything it reaches; hexadecimal.

    Everything reached gets a number when it is first met, in breadth-first order, and is written down once with the numbers
    of what it refers to. So recursion ends, and equal digests mean equal graphs.
    """
    digest = hashlib.sha256()
    numbers: dict[int, int] = {}
    pending = [function]

    def number(item: Any) -> int:
        if id(item) not in numbers:
            numbers[id(item)] = len(numbers)
            pending.append(item)
        return numbers[id(item)]

    number(pending.pop())
    for item in pending:  # grows while it is read
        text, references = _described(_Identity(item))
        digest.update(f"{text} -> {[number(reference) for reference in references]}\n".encode())
    return digest.hexdigest()


class _Identity:
    """Wraps an item so that descriptions are kept by identity; items are functions and classes, which live on."""

    def __init__(self, item: Any) -> None:
        self.item = item

    def __hash__(self) -> int:
        return id(self.item)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Identity) and self.item is other.item


@functools.cache
def _described(identity: _Identity) -> tuple[str, tuple[Any, ...]]:
    """One item in words without what it refers to, and what it refers to."""
    function, options = _unwrapped(identity.item)
    references: list[Any] = []
    code = function.__code__
    words = [options, str(function.__module__), function.__qualname__, *_code_words(code, _docstring_of(function))]
    cells = zip(code.co_freevars, function.__closure__ or (), strict=True)
    for name, value in (*_globals_used(function), *((name, cell.cell_contents) for name, cell in cells)):
        words.append(f"{name} = {_value_words(value, references)}")
    words.append(_value_words((function.__defaults__, function.__kwdefaults__), references))
    return "\n".join(words), tuple(references)


def _unwrapped(item: Any) -> tuple[types.FunctionType, str]:
    """The Python function inside a kernel, an intrinsic or a C callback, and what it is compiled with."""
    if isinstance(item, types.FunctionType):
        return item, ""
    if isinstance(item, Dispatcher):
        return item.py_func, repr(sorted(item.targetoptions.items()))
    if isinstance(item, CFunc):
        return item._pyfunc, f"C callback {item._sig}"  # type: ignore[attr-defined]
    return item._defn, "intrinsic"


def _docstring_of(function: types.FunctionType) -> object:
    """The constant that is the docstring, which is no part of the code; an object that equals nothing where there is none."""
    constants = function.__code__.co_consts
    return constants[0] if function.__doc__ is not None and constants else object()


def _code_words(code: types.CodeType, docstring: object) -> list[str]:
    """Bytecode and constants, those of inner functions included."""
    words = [code.co_code.hex(), code.co_exceptiontable.hex(), repr((code.co_flags, code.co_argcount, code.co_names))]
    words.append(repr((code.co_varnames, code.co_freevars, code.co_cellvars)))
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            words.extend(_code_words(constant, object()))
        elif constant is not docstring:
            words.append(f"{type(constant).__name__} {constant!r}")
    return words


def _names_in(code: types.CodeType) -> Iterator[str]:
    """Names of globals and attributes in order, those of inner functions included."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _names_in(constant)


def _globals_used(function: types.FunctionType) -> Iterator[tuple[str, Any]]:
    """Names that the bytecode mentions and what they are: globals, and attributes of carom's modules among them."""
    names = tuple(dict.fromkeys(_names_in(function.__code__)))
    for name in names:
        if name not in function.__globals__:
            continue
        value = function.__globals__[name]
        yield name, value
        if isinstance(value, types.ModuleType) and _is_ours(value.__name__):
            yield from ((f"{name}.{inner}", getattr(value, inner)) for inner in names if hasattr(value, inner))


def _is_ours(module: str | None) -> bool:
    return module is not None and module.partition(".")[0] == _PACKAGE


def _value_words(value: Any, references: list[Any]) -> str:
    """A value in words; functions go to `references` and are named by their place there."""
    if value is None or isinstance(value, bool | int | float | complex | str | bytes | np.generic):
        return f"{type(value).__name__} {value!r}"
    if isinstance(value, enum.Enum):
        return f"{_class_words(type(value))}.{value.name}"
    if isinstance(value, tuple | list):
        return f"{type(value).__name__}[{', '.join(_value_words(part, references) for part in value)}]"
    if isinstance(value, set | frozenset):
        return f"{type(value).__name__}{sorted(_value_words(part, references) for part in value)}"
    if isinstance(value, dict):
        pairs = (f"{_value_words(key, references)}: {_value_words(part, references)}" for key, part in value.items())
        return f"{type(value).__name__}{{{', '.join(pairs)}}}"
    if isinstance(value, np.ndarray) and not value.dtype.hasobject:
        return f"array {value.dtype} {value.shape} {hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()}"
    if isinstance(value, types.ModuleType | types.BuiltinFunctionType | np.ufunc):
        return f"{type(value).__name__} {value.__name__}"
    if isinstance(value, type):
        return _class_words(value)
    if isinstance(value, Dispatcher | CFunc | _Intrinsic) or _is_function_of_ours(value):
        references.append(value)
        return f"reference {len(references) - 1}"
    module = getattr(value, "__module__", None)
    if isinstance(value, Type) or not _is_ours(module):
        return _ADDRESS.sub("", f"{module} {getattr(value, '__qualname__', None) or repr(value)}")
    return f"{type(value).__qualname__} of {_source_digest(module)}"


def _is_function_of_ours(value: Any) -> bool:
    return isinstance(value, types.FunctionType) and _is_ours(value.__module__)


def _class_words(kind: type) -> str:
    """A class: by name where it belongs to a library, whose version is in the key; one of carom's with its module's source."""
    name = f"class {kind.__module__}.{kind.__qualname__}"
    if not _is_ours(kind.__module__):
        return name
    if issubclass(kind, tuple) and hasattr(kind, "_fields"):  # a named tuple is its fields, to kernels
        return f"{name} {kind._fields}"
    return f"{name} of {_source_digest(kind.__module__)}"


@functools.cache
def _source_digest(module: str | None) -> str:
    """Digest of a module's source file; the name where it has none."""
    spec = importlib.util.find_spec(module or _PACKAGE)
    if spec is None or spec.origin is None or not inspect.getmodulename(spec.origin):
        return str(module)
    return hashlib.sha256(Path(spec.origin).read_bytes()).hexdigest()
