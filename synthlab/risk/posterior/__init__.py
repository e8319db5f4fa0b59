"""The intruder's posterior identification probabilities."""
