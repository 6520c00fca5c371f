"""Which space-time bounds meet first."""
