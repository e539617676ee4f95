"""What can go wrong in a request, besides what the library refuses: each one sentence, with an HTTP status."""

from __future__ import annotations

from typing import Any

from seetopic.errors import SeeTopicError


class RequestError(SeeTopicError):
    """A request that cannot be answered as asked."""

    status = 400
    kind = "invalid"

    def __init__(self, sentence: str, **more: Any) -> None:
        super().__init__(sentence)
        self.more = more  # what the page needs to help, beside the sentence


class Missing(RequestError):
    """Something that is not there, or not any more."""

    status, kind = 404, "missing"


class Refused(RequestError):
    """Something that one may not do."""

    status, kind = 403, "refused"


class Conflict(RequestError):
    """Somebody else changed it, or it is in use."""

    status, kind = 409, "conflict"


class NeedsCorpus(RequestError):
    """A project whose documents are not here."""

    status, kind = 409, "needs_corpus"


class TooLarge(RequestError):
    """More than is allowed."""

    status, kind = 413, "too_large"


class NotYet(RequestError):
    """Something that must be ready first."""

    status, kind = 409, "busy"


class Overtaken(NotYet):
    """Topics of names that were changed while they were sought."""
