"""What happens to single bodies and pairs at an event, whatever the broad phase: predictions, contacts, timers, their order."""
