"""Differential fuzzing: random input against oracles that share no code with carom.

Each module of `subjects` offers `cases(seed)`, which makes one random case with the generators in `cases`, runs it, and raises
`Failure` with a minimal script where `oracle` disagrees. `python -m fuzz` (make fuzz) runs them in turn over worker processes;
`test_fuzz.py` runs a few seeds of each in `make test`.
"""

from fuzz.failure import Failure

__all__ = ["Failure"]
