"""Differential fuzzing: random input against oracles that share no code with carom.

Each module `fuzz_<subject>.py` offers `cases(seed)`, which runs one random case and raises `Failure` with a minimal script.
`python -m fuzz` (make fuzz) runs them in turn over worker processes; `test_fuzz.py` runs a few seeds of each in `make test`.
"""

from fuzz.failure import Failure

__all__ = ["Failure"]
