"""Exercises, one module per lecture; for example, ``lecture_08.EXERCISES``."""
