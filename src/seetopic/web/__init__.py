"""The workbench: a page in which a person changes names and sees topics change, and the HTTP API behind it."""
