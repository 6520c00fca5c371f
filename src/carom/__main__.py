"""`python -m carom`: the command line, where the `carom` script is not on the path."""

from carom.cli import main

main()
