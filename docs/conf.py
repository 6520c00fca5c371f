"""How `make docs` turns these pages into a site (Sphinx, MyST, Furo)."""

from __future__ import annotations

import re
from importlib import metadata

project = "carom"
author = "carom authors"
copyright = author
release = metadata.version("carom")

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
myst_heading_anchors = 3
suppress_warnings = ["misc.highlighting_failure"]

html_theme = "furo"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_title = f"carom {release}"
html_copy_source = False
html_show_sphinx = False
pygments_dark_style = "monokai"

napoleon_google_docstring = False
napoleon_custom_sections = [("Attributes", "params_style")]
napoleon_use_rtype = False

autodoc_member_order = "bysource"
autodoc_class_signature = "mixed"
autodoc_typehints = "signature"
autodoc_type_aliases = {
    name: name
    for name in ("ArrayLike", "Array", "Bools", "Floats", "Ints", "Moving", "Name", "PolledTest", "Response", "Vectors")
}
python_maximum_signature_line_length = 100
add_module_names = False


def plain(app, what, name, obj, options, lines):
    """Docstrings are plain English: code in single backticks, and nothing else means anything."""
    for k, line in enumerate(lines):
        parts = re.split(r"`([^`]*)`", line)
        words = [re.sub(r"([*|_\\])", r"\\\1", part) for part in parts[::2]]
        codes = [f"``{code}``" for code in parts[1::2]] + [""]
        lines[k] = "".join(word + code for word, code in zip(words, codes, strict=True))


def short(app, what, name, obj, options, signature, returns):
    """Aliases inside other types by their names alone."""
    return tuple(text and re.sub(r"TypeAliasForwardRef\('(\w+)'\)", r"\1", text) for text in (signature, returns))


def setup(app):
    """Called by Sphinx."""
    app.connect("autodoc-process-signature", short)
    app.connect("autodoc-process-docstring", plain, priority=400)  # before napoleon, whose markup stays
