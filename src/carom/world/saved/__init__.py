"""A world as arrays, and back: `snapshot` saves and restores, `check` and `fields` validate every array first."""
