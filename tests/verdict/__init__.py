"""Releases with a known answer, and the verdict that `evaluate` gives on each of them."""
