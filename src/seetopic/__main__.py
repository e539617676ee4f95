"""`python -m seetopic`."""

from seetopic.cli import main

main()
