"""Replications of published results, one folder per source.

A study uses the data of its source if they are available, and simulated data otherwise.
"""
