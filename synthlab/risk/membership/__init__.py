"""Membership disclosure."""
