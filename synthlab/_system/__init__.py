"""The machine: files, processes, signals, versions and limits."""
