"""Local term vectors: what the documents themselves say about which terms belong together."""
