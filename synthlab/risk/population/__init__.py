"""Population counts behind a sample."""
