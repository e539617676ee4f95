"""Errors of requests, besides those of the library: one sentence each, with an HTTP status."""

from __future__ import annotations

from typing import Any

from seetopic.errors import SeeTopicError


class RequestError(SeeTopicError):
    """A request that cannot be fulfilled."""

    status = 400
    kind = "invalid"

    def __init__(self, sentence: str, **more: Any) -> None:
        super().__init__(sentence)
        self.more = more  # further fields of the response


class Missing(RequestError):
    """Something does not exist, or no longer exists."""

    status, kind = 404, "missing"


class Refused(RequestError):
    """The request is not allowed."""

    status, kind = 403, "refused"


class Conflict(RequestError):
    """Someone else has changed it, or it is in use."""

    status, kind = 409, "conflict"


class NeedsCorpus(RequestError):
    """The documents of a project are not on this server."""

    status, kind = 409, "needs_corpus"


class TooLarge(RequestError):
    """A limit is exceeded."""

    status, kind = 413, "too_large"


class NotYet(RequestError):
    """Something is not ready yet."""

    status, kind = 409, "busy"


class Overtaken(NotYet):
    """The names changed while their topics were being found."""
