"""Identification risk by matching."""
