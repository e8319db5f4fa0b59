"""The smallest measure and the smallest synthesizer, as examples; `tests/test_registries.py` adds both."""
