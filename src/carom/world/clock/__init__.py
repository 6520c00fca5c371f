"""The clock of a world: local and public time, the shift of the time origin, and free flight without events."""
