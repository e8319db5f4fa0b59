"""Name of the paper on risk weights."""

PAPER = "Hu, Savitsky & Williams"
