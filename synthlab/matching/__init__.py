"""Matching of records: validated inputs, record codes, and range counting."""
