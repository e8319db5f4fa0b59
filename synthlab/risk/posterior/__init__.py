"""Posterior identification probabilities of an intruder."""
