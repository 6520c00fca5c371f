"""Random cases as data: calls, worlds and files that can be run, printed as source, and made smaller."""
