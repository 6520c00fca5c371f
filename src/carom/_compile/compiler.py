"""Numba's compiler with less repeated work: most of the time that kernels took to compile went into three repetitions.

- Numba optimizes and translates every function by itself, and again inside each of its callers, and inside their callers.
  What only other kernels call needs the last of these only: a `LinkedLibrary` is optimized where it is linked.
- It tries all overloads of an operator at each place where the operator stands. `_TypingContext` remembers what came of it.
- It compiles a function anew for each constant that a caller passes. See `carom._compile.jit`.
"""

from __future__ import annotations

from typing import Any

import llvmlite.binding as llvm
from numba import _dynfunc, types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, CompileResult
from numba.core.errors import NumbaError
from numba.core.typing import Context


class LinkedLibrary(JITCodeLibrary):  # type: ignore[misc]
    """Code that other libraries link, as bitcode; nothing of it goes to the execution engine."""

    def _optimize_final_module(self) -> None:
        """Left to the libraries that link this one."""

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True

    def serialize_using_object_code(self) -> Any:
        """Name, kind and bitcode, from which `unserialized` makes the library again."""
        return self.name, _LINKED, self._get_module_for_linking().as_bitcode()

    @classmethod
    def unserialized(cls, codegen: Any, state: Any) -> LinkedLibrary:
        """The library that was serialized."""
        name, _, bitcode = state
        library = cls(codegen, name)
        library._shared_module = library._final_module = llvm.parse_bitcode(bitcode)
        library._finalize_final_module()
        return library


_LINKED = "linked"
"""The kind of a serialized LinkedLibrary, where Numba writes "object" or "bitcode"."""


class _RememberingFunction(types.Function):  # type: ignore[misc]
    """The type of an operator that remembers its signature for types of arguments, or that it has none for them."""

    def __init__(self, function: Any, flags: str) -> None:
        self._flags = flags
        self._known: dict[Any, Any] = {}
        super().__init__(function.templates)

    @property
    def key(self) -> Any:
        """What tells two types apart."""
        return *super().key, self._flags

    def get_call_type(self, context: Any, args: Any, kws: Any) -> Any:
        """Signature for these types of arguments."""
        if kws:
            return super().get_call_type(context, args, kws)
        args = tuple(args)
        known = self._known.get(args)
        if known is None:
            try:
                known = super().get_call_type(context, args, kws)
            except NumbaError as error:
                known = error
            self._known[args] = known
        if isinstance(known, NumbaError):
            raise known.with_traceback(None)
        return known


class _TypingContext(Context):  # type: ignore[misc]
    """Numba's typing context with operators and builtin functions that remember their signatures.

    There is one for each set of compiler flags, since implementations in Python are compiled with those of the caller.
    """

    def __init__(self, context: Any, flags: str) -> None:
        self.__dict__ = dict(context.__dict__)
        self._flags = flags
        self._operators: dict[Any, Any] = {}
        self._signatures: dict[Any, Any] = {}

    def resolve_value_type(self, val: Any) -> Any:
        """Type of a global value."""
        kind = super().resolve_value_type(val)
        if not _is_operator(val) or type(kind) is not types.Function:
            return kind
        if val not in self._operators:
            self._operators[val] = _RememberingFunction(kind, self._flags)
        return self._operators[val]

    def resolve_function_type(self, func: Any, args: Any, kws: Any) -> Any:
        """Signature of a call."""
        if _is_operator(func):
            func = self.resolve_value_type(func)
        if kws or type(func) is not types.Function:
            return super().resolve_function_type(func, args, kws)
        key = func, tuple(args)
        if key not in self._signatures:
            self._signatures[key] = super().resolve_function_type(func, args, kws)
        return self._signatures[key]


def _is_operator(value: Any) -> bool:
    return getattr(value, "__module__", None) == "_operator"


_contexts: dict[tuple[int, str], _TypingContext] = {}
"""By Numba's context and the flags in words."""


class KernelCompiler(Compiler):  # type: ignore[misc]
    """Numba's compiler with a typing context that remembers."""

    def __init__(
        self, typingctx: Any, targetctx: Any, library: Any, args: Any, return_type: Any, flags: Any, locals: Any
    ) -> None:
        key = id(typingctx), repr(flags)
        if key not in _contexts:
            typingctx.refresh()
            _contexts[key] = _TypingContext(typingctx, key[1])
        super().__init__(_contexts[key], targetctx, library, args, return_type, flags, locals)
        self.state.targetctx.typing_context = _contexts[key]


class LinkedCompiler(KernelCompiler):
    """The same into a LinkedLibrary."""

    def compile_extra(self, func: Any) -> Any:
        """Compile a Python function."""
        self.state.library = LinkedLibrary(self.state.targetctx.codegen(), func.__qualname__)
        self.state.targetctx.get_executable = _no_entry
        return super().compile_extra(func)


def _no_entry(library: Any, description: Any, environment: Any) -> Any:
    """What stands for a linked function in Python, where it cannot be called."""
    return _dynfunc.make_function(description.lookup_module(), description.qualname, "", 0, environment, (library,))


def rebuilt(target_context: Any, reduced: tuple[Any, ...]) -> CompileResult:
    """What CompileResult._reduce took apart."""
    if reduced[0][1] != _LINKED:
        return CompileResult._rebuild(target_context, *reduced)
    state, description, environment, signature, objectmode, lifted, annotation, reload_init, environments = reduced
    library = LinkedLibrary.unserialized(target_context.codegen(), state)
    return CompileResult(
        target_context=target_context,
        typing_context=target_context.typing_context,
        library=library,
        environment=environment,
        entry_point=_no_entry(library, description, environment),
        fndesc=description,
        type_annotation=annotation,
        signature=signature,
        objectmode=objectmode,
        lifted=lifted,
        typing_error=None,
        call_helper=None,
        metadata=None,
        reload_init=reload_init,
        referenced_envs=environments,
    )
