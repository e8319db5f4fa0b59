"""Record linkage, and scores of an intruder's guesses."""
