"""Bodies of a world that a user steers."""
