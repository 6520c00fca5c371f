"""The command `carom`.

It stands beside the package, whose import takes a second or two, so that Ctrl-C ends the command in one line in that time too.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from types import FrameType


def main() -> None:
    """Import the command line and run it."""
    with contextlib.suppress(ValueError):  # outside of the main thread
        signal.signal(signal.SIGINT, _stop)
    from carom.cli import main as run

    run()


def _stop(number: int, frame: FrameType | None) -> None:
    """Say so and leave at once, without a traceback: nothing has been begun, or everything has been said."""
    if sys.stderr is not None:
        os.write(2, b"carom: interrupted\n")
    os._exit(130)
