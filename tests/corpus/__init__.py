"""Real survey-like files from packages of PyPI, each read, synthesized, evaluated and written."""
