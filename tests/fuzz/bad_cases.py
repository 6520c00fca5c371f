"""Cases that go wrong in every way, to test the runner of the fuzzers: what happens depends on the seed."""

import os
import time

from fuzz.run import Answer


def run(subject: str, seed: int) -> Answer:
    """Pass, fail, crash, hang, pass, pass ..."""
    if seed == 1:
        return "failure", '"""late: by 0.5 (seed 1)"""\nprint(1)\n'
    if seed == 2:
        os.abort()
    if seed == 3:
        time.sleep(3600.0)
    time.sleep(0.05)
    return "ok", None
