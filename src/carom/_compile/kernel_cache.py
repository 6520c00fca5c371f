"""The cache of compiled kernels: one checked file per function and signature, named by all that its machine code depends on.

An entry's name is a digest of what the function is made of (see `_fingerprint`), the argument types, the processor, and the
versions and settings of the compiler. So nothing in the folder can be stale: what an edit changed is compiled again, what
it did not change is found. Nothing here happens before the first kernel is needed.

Entries are pickles. They are read only from a folder and from files that belong to this user and that nobody else can
write. A damaged entry is dropped, and its kernel is compiled again.
"""

from __future__ import annotations

import atexit
import contextlib
import dataclasses
import functools
import hashlib
import os
import pickle
import platform
import re
import shutil
import stat
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import llvmlite
import numba
import numpy as np
from numba.core.serialize import dumps
from numba.core.types import Dispatcher as DispatcherType

from carom._compile.compiler import rebuilt
from carom._compile.fingerprint import fingerprint
from carom._compile.notice import cache_missed, say

SUFFIX = ".kernel"
_MAGIC = b"carom kernel 1\n"
_LIMIT = 1_000_000_000
"""Bytes of entries; the least recently used go first when a process that compiles finds more."""
_DAY = 86_400.0
_NAME_OF_OLD_FOLDER = re.compile("[0-9a-f]{16}")
"""Folders of carom 0.1, one for each version of the sources."""
_SETTINGS = (
    "BOUNDSCHECK", "OPT", "LOOP_VECTORIZE", "SLP_VECTORIZE", "ENABLE_AVX", "DISABLE_INTEL_SVML", "USING_SVML",
    "DEBUGINFO_DEFAULT", "LLVM_REFPRUNE_PASS", "LLVM_REFPRUNE_FLAGS",
)  # fmt: skip
"""Settings of Numba that shape machine code."""


@dataclasses.dataclass(frozen=True)
class Place:
    """Where compiled kernels are kept."""

    folder: Path
    refused: str = ""
    """Why the proper folder is not used, in words; kernels are then lost with this process. Empty where it is used."""

    @property
    def temporary(self) -> bool:
        """Whether the kernels of this process are lost with it."""
        return bool(self.refused)


def base_folder() -> Path:
    """Folder that the cache lives in: CAROM_CACHE_DIR, or the platform's cache folder for this user.

    Variables of the platform count only where they hold an absolute path: entries are never read from the current folder.
    """
    if chosen := os.environ.get("CAROM_CACHE_DIR"):
        return Path(chosen).absolute()
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "carom" / "kernels"
    variable, default = ("LOCALAPPDATA", "AppData/Local") if sys.platform == "win32" else ("XDG_CACHE_HOME", ".cache")
    chosen = os.environ.get(variable, "")
    return (Path(chosen) if Path(chosen).is_absolute() else Path.home() / default) / "carom" / "kernels"


@functools.cache
def place() -> Place:
    """The folder for entries, created for this user alone; a temporary one, removed at exit, where that cannot be trusted."""
    try:
        base = base_folder()
        folder = base / "entries"
        base.mkdir(parents=True, exist_ok=True)
        with contextlib.suppress(FileExistsError):
            folder.mkdir(mode=0o700)
        if refused := _distrust(os.lstat(folder)):
            refused = f"{folder} {refused}"
        else:
            with tempfile.TemporaryFile(dir=folder):
                pass
    except (OSError, RuntimeError, ValueError) as error:  # no home; a path that no file can have
        refused = f"the kernel cache cannot be written: {error}"
    if not refused:
        return Place(folder)
    temporary = Path(tempfile.mkdtemp(prefix="carom-kernels-"))
    atexit.register(shutil.rmtree, temporary, ignore_errors=True)
    return Place(temporary, refused)


def _distrust(status: os.stat_result) -> str:
    """Why a folder or file must not be read as pickles, in words; empty where it may."""
    if not hasattr(os, "geteuid"):
        return ""
    if stat.S_ISLNK(status.st_mode):
        return "is a link"
    if status.st_uid != os.geteuid():
        return "belongs to another user"
    return "can be written by other users" if status.st_mode & 0o022 else ""


class KernelCache:
    """The cache of one kernel, in the place of Numba's own (`numba.core.caching.Cache`): entries for its signatures.

    Parameters
    ----------
    function
        The kernel's Python function.
    options
        What it is compiled with, in words.
    """

    def __init__(self, function: Any, options: str) -> None:
        self._function = function
        self._options = options

    @property
    def cache_path(self) -> str:
        """The folder of the entries."""
        return str(place().folder)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The compiled function for a signature; None where there is no entry that can be used."""
        target_context.refresh()
        path = self._path(sig, target_context.codegen())
        payload = _read(path) if path is not None else None
        if path is not None and payload is not None:
            try:
                return rebuilt(target_context, pickle.loads(payload))
            except Exception as error:  # whatever an invalid pickle raises; compiling again is always correct
                _drop(path, str(error))
        cache_missed()
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep a compiled function; where the disk refuses, that is said once and the work goes on."""
        if data.library.has_dynamic_globals or any(not lifted.can_cache for lifted in data.lifted):
            return
        path = self._path(sig, data.codegen)
        if path is not None:
            _write(path, dumps(data._reduce()))

    def enable(self) -> None:
        """Always enabled; Numba calls it."""

    disable = flush = enable

    def _path(self, signature: Any, codegen: Any) -> Path | None:
        """File of the entry for a signature; None where the signature has no name that lasts."""
        types = "\n".join(_type_words(part) for part in getattr(signature, "args", signature))
        if " at 0x" in types:
            return None
        words = (self._digest, types, repr(codegen.magic_tuple()), _compiler_words())
        name = re.sub(r"[^A-Za-z0-9_.]+", "-", f"{self._function.__module__}.{self._function.__qualname__}")
        return place().folder / f"{name[-80:]}-{hashlib.sha256(repr(words).encode()).hexdigest()[:32]}{SUFFIX}"

    @functools.cached_property
    def _digest(self) -> str:
        return f"{self._options} {fingerprint(self._function)}"


def _type_words(kind: Any) -> str:
    """An argument's type in words; a function passed as an argument is what it is made of.

    An entry refers to the class of a named tuple by its module: the same class elsewhere is another type.
    """
    if isinstance(kind, DispatcherType):
        return f"kernel {fingerprint(kind.dispatcher)}"
    named = getattr(kind, "instance_class", None)
    return f"{kind} of {named.__module__}" if named is not None else str(kind)


@functools.cache
def _compiler_words() -> str:
    versions = (numba.__version__, llvmlite.__version__, np.__version__, platform.python_version(), platform.machine())
    return repr((versions, [(name, getattr(numba.config, name, None)) for name in _SETTINGS]))


def _read(path: Path) -> bytes | None:
    """Content of an entry; None where there is none that is whole and can be trusted."""
    try:
        with path.open("rb") as file:
            status = os.fstat(file.fileno())
            content = b"" if _distrust(status) else file.read()
    except FileNotFoundError:
        return None
    except OSError as error:
        say(f"a kernel of the cache cannot be read and is compiled again: {error}")
        return None
    head, digest, payload = (content[: len(_MAGIC)], content[len(_MAGIC) :][:32], content[len(_MAGIC) + 32 :])
    if head != _MAGIC or hashlib.sha256(payload).digest() != digest:
        _drop(path, _distrust(status) or "damaged")
        return None
    if time.time() - status.st_mtime > _DAY:  # that it is in use; see _make_room
        with contextlib.suppress(OSError):
            os.utime(path)
    return payload


def _drop(path: Path, why: str) -> None:
    """Remove an entry that cannot be used; it may resist."""
    say(f"a kernel of the cache is dropped and compiled again: {path.name}: {why}")
    with contextlib.suppress(OSError):
        path.unlink()


def _write(path: Path, payload: bytes) -> None:
    """Put an entry in place at once, so that no process ever reads half of one."""
    temporary = path.with_name(f"{path.name}.{os.getpid()}-{threading.get_ident()}.new")
    try:
        _make_room()
        with os.fdopen(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(_MAGIC + hashlib.sha256(payload).digest() + payload)
        temporary.replace(path)
    except OSError as error:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
        say(f"compiled kernels cannot be kept: {error}")


@functools.cache
def _make_room() -> None:
    """Remove the least recently used entries beyond the limit, and folders of older versions; once per process."""
    entries = []
    for path in place().folder.iterdir():
        with contextlib.suppress(OSError):
            status = path.stat()
            entries.append((status.st_mtime, status.st_size, path))
    total = sum(size for _, size, _ in entries)
    for used, size, path in sorted(entries):
        forgotten = path.suffix == ".new" and time.time() - used > _DAY
        if total > _LIMIT or forgotten:
            with contextlib.suppress(OSError):
                path.unlink()
                total -= size
    if not place().temporary:
        for folder in place().folder.parent.iterdir():
            if _NAME_OF_OLD_FOLDER.fullmatch(folder.name):
                shutil.rmtree(folder, ignore_errors=True)


def check_entries() -> int:
    """Look at every entry of the cache, drop those that are damaged, and return how many these were."""
    dropped = 0
    for path in sorted(place().folder.glob(f"*{SUFFIX}")):
        dropped += _read(path) is None
    return dropped
