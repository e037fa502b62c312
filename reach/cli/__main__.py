"""`python -m reach.cli`, for where the script is not on the path."""

from reach.cli import main

main()
