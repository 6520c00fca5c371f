"""The fuzzers: each module offers `cases(seed)`, which runs one random case and raises `Failure` with a minimal script."""
