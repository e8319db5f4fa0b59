"""Figures used only by the lectures and the laboratory."""
