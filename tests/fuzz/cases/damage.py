"""Files with bytes changed, lost, repeated, or numbers replaced by such as programs trip over."""

from __future__ import annotations

import re
import struct

import numpy as np

from fuzz.cases.generate import pick

_WORDS = (
    b"nan", b"inf", b"-1", b"0", b"1e999", b"1e-999", b"99999999999999999999", b"9" * 5000, b"-0.0", b"1_0", b"0x10", b"",
    b"\xff\xfe", b"\x00", b"\xd9\xa1", b"\n", b" ", b"\\", b"#", b'"', b"[" * 2000, b'{"a":' * 2000, b"2020-01-01", b"true",
    b"null", b"[]", b"{}", b'"x"', b"'", b'"\\ud800"', b"4294967295", b"2147483647", b"-2147483648", b"65536", b"1.5",
)  # fmt: skip
_NUMBERS = (0, 1, 2, 3, 0xFF, 0x7FFF, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x7FC00000, 0x7F800000)
"""As 32 bits; the last two are NaN and infinity."""
_WORD = re.compile(rb"[^\s,:\[\]{}=]+")


def damaged(rng: np.random.Generator, data: bytes) -> bytes:
    """The data after one to four changes."""
    for _ in range(int(rng.integers(1, 5))):
        data = _once(rng, data)
    return data


def _once(rng: np.random.Generator, data: bytes) -> bytes:
    if not data:
        return data
    at = int(rng.integers(len(data) if rng.random() < 0.6 else min(len(data), 120)))
    end = min(len(data), at + int(10.0 ** rng.uniform(0.0, 2.5)))
    match int(rng.integers(8)):
        case 0:
            return data[:at] + bytes([int(rng.integers(256))]) + data[at + 1 :]
        case 1:
            return data[:at]
        case 2:
            return data[:at] + data[end:]
        case 3:
            return data[:end] + data[at:]
        case 4:
            return data[:at] + pick(rng, _WORDS) + data[at:]
        case 5:
            order = pick(rng, ("<I", ">I"))
            return data[:at] + struct.pack(order, pick(rng, _NUMBERS)) + data[at + 4 :]
        case 6:
            lines = data.split(b"\n")
            one, other = (int(k) for k in rng.integers(len(lines), size=2))
            lines[one], lines[other] = lines[other], lines[one]
            return b"\n".join(lines)
    word = _WORD.search(data, at)
    return data if word is None else data[: word.start()] + pick(rng, _WORDS) + data[word.end() :]
