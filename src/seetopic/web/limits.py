"""Every bound of the workbench once: what comes over the network is bounded before it is believed."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

CATEGORIES = 200  # of a project
NAMES = 50  # of a category
TERMS = 1_000  # pinned or negative, of a category
PROJECT_NAMES = 600  # of all categories together: each is read by the language model
PROJECT_TERMS = 10_000  # pinned or negative, of all categories together
HEAVY = 60  # names from which a search may take many seconds
WAITING = 12  # requests that wait for topics to be found: each holds a thread
QUEUE = 20  # builds, or comparisons and rounds, that are done or wait
LETTERS = 200  # of a name or a term
TITLE = 120  # letters of a title or of a person's name
TOP = 200  # terms of a topic
BODY = 2_000_000  # bytes of a request that is not an upload
PREVIEW_BYTES = 262_144  # of a file, from its beginning, that a preview looks at
PREVIEW_PARQUET = 16_000_000  # bytes of a Parquet file's rows, unpacked
PREVIEW_ROWS = 8
PREVIEW_LETTERS = 300  # of a cell
COLUMNS = 200  # of a table
LONGEST_LINE = 50_000_000  # bytes; no document is longer
LISTED = 2_000  # entries of a folder
PAGE = 100  # documents, at most, of one answer
SOURCES = 8  # whose terms a round of annotation mixes
ROUNDS = 200  # of a project
ANNOTATORS = 100  # of a round
COMPARISONS = 200  # of a project: older ones go
RUNS = 300  # of methods whose topics are kept: older ones go
DOCUMENT_WORDS = 20_000  # of a document that is shown


@dataclass(frozen=True, kw_only=True)
class UploadLimits:
    """How much people may send."""

    file_bytes: int = 500_000_000
    files: int = 100
    unpacked: int = 10  # times `file_bytes` that a packed file may unpack to


@dataclass(frozen=True, kw_only=True)
class ConnectionLimits:
    """How many connections there may be, and how long each may take."""

    connections: int = 256  # at once: the oldest that asks for nothing makes room
    head_seconds: float = 15.0  # for the head of a request
    body_seconds: float = 30.0  # for its body, and more for a long one:
    bytes_a_second: int = 4_000  # that must come in on average
    answer_seconds: float = 60.0  # for the client to take what is sent


@dataclass(frozen=True, kw_only=True)
class WorkbenchSettings:
    """Where things lie, and what people may do."""

    data: Path
    folder: Path | None = None
    models: tuple[str, ...] = ()
    cache: Path | None = None
    jobs: int | None = None
    uploads: UploadLimits = field(default_factory=UploadLimits)
