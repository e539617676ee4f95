"""How good topics are: measured on documents, and judged by people."""
