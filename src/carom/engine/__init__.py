"""The compiled event loops that drive a world."""
