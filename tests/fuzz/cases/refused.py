"""The one error by which a generated case says that it is none."""


class Refused(Exception):
    """The generator made something that carom documents to refuse: no case."""
