"""Settings for all tests."""

from __future__ import annotations

import os

from hypothesis import settings

os.environ.setdefault("CAROM_QUIET", "1")
# Kernels compile inside the first example of a test, so a time limit per example would only measure the compiler.
settings.register_profile("carom", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("carom")
