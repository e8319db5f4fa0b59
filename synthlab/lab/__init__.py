"""The laboratory: studies that use the package and are no part of it.

The package never imports it; the command line loads a study when it is asked for by name.
"""
