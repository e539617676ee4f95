"""The HTTP API: each route parses, calls and answers; nothing of the method is in it."""
