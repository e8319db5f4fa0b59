"""Formulas and log-linear models."""
