"""Population counts estimated from a sample."""
