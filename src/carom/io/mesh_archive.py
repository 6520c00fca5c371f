"""Archives of mesh files, unpacked into a temporary folder if their declared and actual sizes allow it."""

from __future__ import annotations

import bz2
import gzip
import lzma
import shutil
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import IO, Any

from carom.errors import InvalidInputError
from carom.files.unpack_limit import check_unpacked

_STREAMS: dict[str, Callable[..., Any]] = {".gz": gzip.open, ".tgz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
ARCHIVES = (".zip", ".tar", *_STREAMS)
"""Endings of archives; those with a stream contain a tar archive."""

_CHUNK = 1 << 20


@contextmanager
def unpacked(archive: Path) -> Iterator[tuple[Path, list[Path]]]:
    """Yield the temporary folder of the unpacked archive, and its files in the order of their names.

    InvalidInputError if it is damaged, contains names outside of its own folder, or unpacks to more than `check_unpacked`
    allows.
    """
    with TemporaryDirectory(prefix="carom-") as name:
        folder = Path(name).resolve() / "files"
        folder.mkdir()
        try:
            if archive.suffix.lower() == ".zip":
                _unpack_zip(archive, folder)
            else:
                _unpack_tar(archive, folder)
        except InvalidInputError:
            raise
        except OSError as error:
            if error.errno is None or isinstance(error, gzip.BadGzipFile):
                raise InvalidInputError(f"{archive}: cannot be unpacked: it is damaged or cut off") from None
            raise InvalidInputError(f"{archive}: cannot be unpacked: {error.strerror}") from None
        except Exception:  # damaged archives raise errors of many types
            raise InvalidInputError(f"{archive}: cannot be unpacked: it is damaged or cut off") from None
        files = [file for file in folder.rglob("*") if file.is_file()]
        yield folder, sorted(file for file in files if not _is_mark(file.relative_to(folder)))


def check_zip(path: Path) -> None:
    """Raise InvalidInputError if the zip archive at `path` is damaged, or would unpack to more than is allowed."""
    try:
        with zipfile.ZipFile(path) as archive:
            check_unpacked(path, sum(info.file_size for info in archive.infolist()), path.stat().st_size)
            for info in archive.infolist():
                with archive.open(info) as stored:
                    while stored.read(_CHUNK):  # stops at the declared size, and compares checksums there
                        pass
    except InvalidInputError:
        raise
    except Exception:  # as above
        raise InvalidInputError(f"{path}: cannot be unpacked: it is damaged or cut off") from None


def _unpack_zip(path: Path, folder: Path) -> None:
    with zipfile.ZipFile(path) as archive:
        infos = [info for info in archive.infolist() if not info.is_dir()]
        check_unpacked(path, sum(info.file_size for info in infos), path.stat().st_size)
        for info in infos:
            with archive.open(info) as stored:
                _write(path, folder, info.filename, stored)


def _unpack_tar(path: Path, folder: Path) -> None:
    opened = _STREAMS.get(path.suffix.lower())
    plain = path
    if opened is not None:
        # As a whole first: even the headers of a compressed tar archive may unpack to any length.
        plain = folder.parent / "archive.tar"
        length, size = path.stat().st_size, 0
        with opened(path, "rb") as stored, plain.open("wb") as file:
            while chunk := stored.read(_CHUNK):
                size += len(chunk)
                check_unpacked(path, size, length)
                file.write(chunk)
    with tarfile.open(plain, "r:") as archive:
        # Sparse members declare any size without bytes.
        members = [member for member in archive if member.isfile()]
        check_unpacked(path, sum(member.size for member in members), plain.stat().st_size)
        for member in members:
            content = archive.extractfile(member)
            if content is not None:
                with content:
                    _write(path, folder, member.name, content)


def _write(archive: Path, folder: Path, name: str, content: IO[bytes]) -> None:
    place = PurePosixPath(name.replace("\\", "/"))
    if place.is_absolute() or ".." in place.parts or not place.parts or ":" in place.parts[0]:
        raise InvalidInputError(f"{archive}: holds {name!r:.80}; expected names inside the archive")
    target = folder.joinpath(*place.parts)
    target.parent.mkdir(parents=True, exist_ok=True)
    with target.open("xb") as file:
        shutil.copyfileobj(content, file, _CHUNK)


def _is_mark(place: Path) -> bool:
    """Return whether this is metadata that macOS adds for each file of an archive."""
    return place.parts[0] == "__MACOSX" or place.name.startswith("._")
