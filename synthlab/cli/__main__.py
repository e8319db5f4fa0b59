"""`python -m synthlab.cli` is the command `synthlab`."""

from synthlab.cli import main

main()
