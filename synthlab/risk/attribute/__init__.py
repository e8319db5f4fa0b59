"""Attribute disclosure."""
