"""Imports carom with twins in the place of what only the compiler understands."""

from __future__ import annotations

import ast
import importlib.abc
import os
import sys
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader

from plain_python import arithmetic
from plain_python.twins import everywhere, in_module

_ARITHMETIC = "__arithmetic__"
"""Name under which kernels find plain_python.arithmetic."""
_CASTS = {"int": "integer", "np.int64": "int64", "np.uint64": "uint64"}
_DECORATORS = {"kernel", "lean_kernel", "inner_kernel", "inline_kernel", "c_callback"}


def is_asked_for() -> bool:
    """Whether this process runs without the compiler."""
    return os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")


def install() -> None:
    """From now on carom is imported as plain Python."""
    assert "carom" not in sys.modules
    sys.meta_path.insert(0, _Finder())


class _Finder(importlib.abc.MetaPathFinder):
    def find_spec(self, fullname, path, target=None) -> ModuleSpec | None:
        if fullname.split(".")[0] != "carom":
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is not None and isinstance(spec.loader, SourceFileLoader):
            spec.loader = _Loader(spec.loader.name, spec.loader.path)
        return spec


class _Loader(SourceFileLoader):
    def get_code(self, fullname):
        # Neither reads nor writes __pycache__: the code of these modules is for this process alone.
        path = self.get_filename(fullname)
        return compile(_Kernels().visit(ast.parse(self.get_data(path), path)), path, "exec", dont_inherit=True)

    def exec_module(self, module) -> None:
        setattr(module, _ARITHMETIC, arithmetic)
        super().exec_module(module)
        twins = in_module(module.__name__)
        for name, twin in twins.items():
            # Other names of the same thing follow: address_table gives some of its functions two.
            original = getattr(module, name)
            for other, value in list(vars(module).items()):
                if value is original:
                    setattr(module, other, twin)
        for name, value in list(vars(module).items()):
            if id(value) in everywhere:
                setattr(module, name, everywhere[id(value)])


class _Kernels(ast.NodeTransformer):
    """Divisions, casts and reads of arrays in kernels call their twins in `arithmetic`; lines stay where they are."""

    def __init__(self) -> None:
        self._inside = False

    def visit_FunctionDef(self, node):
        names = {_name(decorator) for decorator in node.decorator_list}
        before, self._inside = self._inside, self._inside or bool(names & _DECORATORS)
        node.body = [self.visit(statement) for statement in node.body]
        self._inside = before
        return node

    def visit_BinOp(self, node):
        self.generic_visit(node)
        if not self._inside or not isinstance(node.op, ast.Div):
            return node
        return ast.copy_location(ast.Call(_twin(node, "divide"), [node.left, node.right], []), node)

    def visit_AugAssign(self, node):
        if not self._inside or not isinstance(node.op, ast.Div):
            return self.generic_visit(node)
        before = ast.parse(ast.unparse(node.target), mode="eval").body
        for part in ast.walk(before):
            ast.copy_location(part, node)
        quotient = ast.copy_location(ast.BinOp(before, ast.Div(), node.value), node)
        return self.visit(ast.copy_location(ast.Assign([node.target], quotient), node))

    def visit_Subscript(self, node):
        self.generic_visit(node)
        if not self._inside or not isinstance(node.ctx, ast.Load):
            return node
        return ast.copy_location(ast.Call(_twin(node, "widened"), [node], []), node)

    def visit_Call(self, node):
        self.generic_visit(node)
        name = ast.unparse(node.func)
        if self._inside and name in _CASTS:
            node.func = _twin(node, _CASTS[name])
        return node


def _twin(node, name):
    module = ast.copy_location(ast.Name(_ARITHMETIC, ast.Load()), node)
    return ast.copy_location(ast.Attribute(module, name, ast.Load()), node)


def _name(decorator) -> str:
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    return called.id if isinstance(called, ast.Name) else ""
