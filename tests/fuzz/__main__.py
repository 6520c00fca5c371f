"""python -m fuzz: run all fuzzers, or those named, for some time."""

import sys

from fuzz.run import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
