"""`python -m carom`: the command line, if the `carom` script is not on the path."""

from carom.cli import main

main()
