"""A TCP proxy that hurts, and what it makes of the protocols that pass through it."""
