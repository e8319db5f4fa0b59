"""Entry point of `python -m synthlab.cli`, which is the command `synthlab`."""

from synthlab.cli import main

main()
