"""Measures of attribute disclosure."""
