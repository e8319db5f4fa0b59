"""Figures that only the lectures and the laboratory use."""
