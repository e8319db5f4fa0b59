"""Files, processes, signals, versions and size limits."""
