"""Mutation testing of the rooms whose numbers matter: see `python -m tests.mutation --help`."""
