"""Measures of identification risk by matching."""
