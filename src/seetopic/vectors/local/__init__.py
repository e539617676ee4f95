"""Local term vectors, learned from how the documents use the terms."""
