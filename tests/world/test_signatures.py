"""World tells editors and readers what its methods take: each is written once, with a signature and a list of parameters."""

from __future__ import annotations

import ast
import inspect
import re
from pathlib import Path

import pytest

import carom
from carom import world
from carom.world.views import WorldViews

PUBLIC = [name for name in dir(carom.World) if not name.startswith("_")]
METHODS = [name for name in PUBLIC if not isinstance(inspect.getattr_static(carom.World, name), property)]
FREE = {("restore", "options")}
"""Parameters that stand for any others."""


def listed(text: str) -> list[str]:
    """Names in the list of parameters of a docstring."""
    heads = re.findall(r"^ *- (`\w+`(?:, `\w+`)*): \S", text, re.MULTILINE)
    return [name for head in heads for name in re.findall(r"\w+", head)]


def parameters_of(function: object) -> list[inspect.Parameter]:
    found = inspect.signature(function).parameters.values()  # type: ignore[arg-type]
    return [each for each in found if each.name != "self"]


@pytest.mark.parametrize("name", PUBLIC)
def test_signatures_world_or_its_views_define_what_is_public_once(name):
    assert [cls for cls in carom.World.__mro__ if name in vars(cls)] in ([carom.World], [WorldViews])


@pytest.mark.parametrize("name", METHODS)
def test_signatures_methods_name_and_annotate_their_parameters(name):
    method = getattr(carom.World, name)
    assert inspect.signature(method).return_annotation is not inspect.Signature.empty
    for each in parameters_of(method):
        assert each.annotation is not inspect.Parameter.empty, each
        assert each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD) or (name, each.name) in FREE, each


@pytest.mark.parametrize("name", METHODS)
def test_signatures_docstrings_list_every_parameter_in_order(name):
    method = getattr(carom.World, name)
    assert listed(method.__doc__) == [each.name for each in parameters_of(method)]


def test_signatures_docstring_of_the_class_lists_what_a_world_is_made_with():
    assert listed(carom.World.__doc__) == [each.name for each in parameters_of(carom.World)]


def test_signatures_properties_say_what_they_are():
    for name in set(PUBLIC) - set(METHODS):
        getter = inspect.getattr_static(carom.World, name).fget
        assert getter.__doc__, name
        assert inspect.signature(getter).return_annotation is not inspect.Signature.empty, name


def test_signatures_parts_of_a_world_inherit_from_no_other_part():
    for path in Path(world.__file__).parent.rglob("*.py"):
        classes = [
            node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.ClassDef)
        ]
        bases = {ast.unparse(base) for each in classes for base in each.bases}
        views = {"WorldViews"} if path.name == "world.py" else set()
        assert bases <= {"Copyable", "NamedTuple"} | views, path
