"""What tells documents, tokenizers and settings apart: the same for the same, however they are stored."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from seetopic.documents import Documents
from seetopic.progress import Progress
from seetopic.words import Tokenizer, tokenize


def key_of(*parts: Any) -> str:
    """One short name for values that JSON can hold."""
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def fingerprint(documents: Documents, progress: Progress) -> tuple[str, int]:
    """SHA-256 of the texts, the same however they are stored, and their number."""
    digest = hashlib.sha256()
    number = 0
    progress("looking at documents", 0, None)
    for number, text in enumerate(documents.texts(), start=1):
        add_text(digest, text)
        if number % 1000 == 0:
            progress("looking at documents", number, None)
    return digest.hexdigest(), number


def add_text(digest: Any, text: str) -> None:
    """Count a text into a fingerprint."""
    encoded = text.encode("utf-8")
    digest.update(len(encoded).to_bytes(8, "little"))
    digest.update(encoded)


def tokenizer_name(tokenizer: Tokenizer) -> str:
    """`default`, the name that a tokenizer gives itself, or that of the function in its module."""
    if tokenizer is tokenize:
        return "default"
    if isinstance(named := getattr(tokenizer, "name", None), str):
        return named
    kind = tokenizer if hasattr(tokenizer, "__qualname__") else type(tokenizer)
    return f"{getattr(kind, '__module__', 'builtins')}.{kind.__qualname__}"  # `str.split` has no module
