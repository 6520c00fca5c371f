"""The event loop over all pairs: no pruning, predictions cached until a motion changes (kinetic sweep and prune, section 5)."""
