"""`python -m mcuc`."""

from mcuc.cli import main

main()
