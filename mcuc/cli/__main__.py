"""`python -m mcuc.cli`."""

from mcuc.cli import main

main()
