"""Slow exact oracles that share no code with carom."""
