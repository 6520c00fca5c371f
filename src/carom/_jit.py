"""The one place that sets Numba options, the kernel cache folder and the compile notice.

Numba's own cache key misses edits in *another* file (a cached caller keeps its old callee, also across upgrades), so the
cache folder is named by a hash of all of carom's sources and of the versions that shape the machine code.
"""

from __future__ import annotations

import contextlib
import gc
import hashlib
import os
import platform
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import llvmlite
import numba
import numpy as np

F = TypeVar("F", bound=Callable[..., Any])

_KEPT_FOLDERS = 3
"""Folders of other source versions kept beside the current one, so that switching back and forth stays warm."""


_KERNEL_FREE = (
    "__main__", "bench", "cli", "io", "manager", "physics", "play", "queries", "runfile", "scenes", "schedule", "view",
    "warming",
)  # fmt: skip
"""Top layers without kernels (a test holds them to it): editing them must not cost a recompile."""


def _source_hash() -> str:
    """Hash of every carom source file that kernels are made of and of the compiler versions, 16 hex digits."""
    digest = hashlib.sha256()
    root = Path(__file__).parent
    for path in sorted(root.rglob("*.py")):
        relative = path.relative_to(root)
        if relative.parts[0].removesuffix(".py") in _KERNEL_FREE:
            continue
        digest.update(relative.as_posix().encode())
        digest.update(path.read_bytes())
    for version in (
        numba.__version__,
        llvmlite.__version__,
        np.__version__,
        platform.python_version(),
        platform.machine(),
    ):
        digest.update(version.encode())
    return digest.hexdigest()[:16]


def _cache_base() -> Path:
    """Folder that holds all kernel caches: CAROM_CACHE_DIR, or the platform's user cache folder."""
    if chosen := os.environ.get("CAROM_CACHE_DIR"):
        return Path(chosen)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home())) / "carom" / "kernels"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "carom" / "kernels"
    return Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "carom" / "kernels"


def _others(base: Path, current: Path) -> list[Path]:
    """Folders of other source versions, the oldest first."""
    return sorted((p for p in base.iterdir() if p.is_dir() and p != current), key=lambda p: p.stat().st_mtime)


def _prune(base: Path, current: Path) -> None:
    """Delete all but the newest few folders of other source versions; a folder in use elsewhere may resist."""
    for folder in _others(base, current)[:-_KEPT_FOLDERS]:
        shutil.rmtree(folder, ignore_errors=True)


def _open_cache() -> Path:
    """Create and return the folder for this source version; a temporary one where the home cannot be written."""
    base = _cache_base()
    folder = base / _source_hash()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
        _prune(base, folder)
    except OSError:
        folder = Path(tempfile.mkdtemp(prefix="carom-kernels-"))
    return folder


cache_folder: Path = _open_cache()
"""Where compiled kernels of exactly these sources live."""


def stale_cache_folders() -> list[Path]:
    """Kernel caches of other versions of the sources, the oldest first; the newest few are kept at every start.

    None where the home cannot be written: then kernels live in a temporary folder and are compiled at every start.
    """
    return [] if cache_is_temporary() else _others(cache_folder.parent, cache_folder)


def cache_is_temporary() -> bool:
    """Whether the kernels of this process are lost with it, because the cache folder cannot be written."""
    return cache_folder.parent != _cache_base()


@contextlib.contextmanager
def _numba_cache_here() -> Iterator[None]:
    """Point Numba at our folder only while our own functions are decorated, so that other libraries keep theirs."""
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(cache_folder)
    try:
        yield
    finally:
        numba.config.CACHE_DIR = before


def _compiled(function: F, **options: Any) -> F:
    """Compile `function` on first use, cached, with IEEE arithmetic (inf means never, so no fastmath)."""
    with _numba_cache_here():
        compiled: F = numba.njit(cache=True, error_model="numpy", **options)(function)
    return compiled


def kernel(function: F) -> F:
    """Compile a function that may allocate arrays; releases the GIL."""
    return _compiled(function, nogil=True, _nrt=True, no_cfunc_wrapper=True)


def lean_kernel(function: F) -> F:
    """Like `kernel` for a function that allocates no array: without reference counting.

    Counting references to the arrays inside named tuples and views cost eight times the work of an event.
    """
    return _compiled(function, nogil=True, _nrt=False, no_cfunc_wrapper=True)


def inner_kernel(function: F) -> F:
    """Like `lean_kernel` for a function that only other kernels call: no Python entry, which halves compile time."""
    return _compiled(function, _nrt=False, no_cpython_wrapper=True, no_cfunc_wrapper=True)


def inline_kernel(function: F) -> F:
    """Like `inner_kernel` for a few lines on the hottest path: always merged into the caller."""
    return _compiled(function, _nrt=False, no_cpython_wrapper=True, no_cfunc_wrapper=True, forceinline=True)


def c_callback(signature: str) -> Callable[[Callable[..., Any]], Any]:
    """Compile a function with a C signature at once, cached; its `.address` can be called from other kernels."""

    def decorate(function: Callable[..., Any]) -> Any:
        with _numba_cache_here():
            return numba.cfunc(signature, cache=True, nopython=True, error_model="numpy")(function)

    return decorate


_SELDOM = (200_000, 50, 100)
"""Thresholds of the garbage collector while kernels are compiled: at Python's own it takes a seventh of that time."""

_announced: set[str] = set()
_underway: list[str] = []


@contextlib.contextmanager
def compiling(what: str) -> Iterator[None]:
    """Say once, on stderr, that `what` is being compiled; silent when the kernel cache already holds it.

    CAROM_QUIET=1 silences it, and what is compiled meanwhile for the same reason is part of it.
    """
    if what in _announced:
        yield
        return
    _announced.add(what)
    marker = cache_folder / f"{what.replace(' ', '-')}.compiled"
    if marker.exists():
        yield
        return
    outermost = not _underway
    loud = os.environ.get("CAROM_QUIET", "") in ("", "0") and outermost
    # Only the outermost sets and resets them: another thread would take what it finds here for what to go back to.
    thresholds = gc.get_threshold()
    if outermost:
        gc.set_threshold(*_SELDOM)
    begin = time.perf_counter()
    if loud:
        print(f"carom: compiling {what} (first use only) ...", file=sys.stderr, end=" ", flush=True)
    _underway.append(what)
    try:
        yield
    except BaseException:
        _announced.discard(what)
        if loud:
            print("stopped", file=sys.stderr, flush=True)
        raise
    finally:
        _underway.pop()
        if outermost:
            gc.set_threshold(*thresholds)
    if loud:
        print(f"{time.perf_counter() - begin:.1f} s", file=sys.stderr, flush=True)
    with contextlib.suppress(OSError):
        marker.touch()
