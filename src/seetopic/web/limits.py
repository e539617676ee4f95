"""All limits of the workbench, applied to everything that comes over the network."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

CATEGORIES = 200  # per project
LEVELS = 20  # of a tree of categories
NAMES = 50  # per category
TERMS = 1_000  # pinned or negative, per category
PROJECT_NAMES = 600  # of all categories together; the language model encodes each one
EXPLANATION = 5_000  # characters of a description
EXAMPLE = 20_000  # characters of an example
EXAMPLES = 100  # per category
PROJECT_TERMS = 10_000  # pinned or negative, of all categories together
ANSWERS = 2_000  # per request
JUDGEMENTS = 5_000  # answers about terms and documents, per project
HEAVY = 60  # names above which a search may take many seconds
WAITING = 12  # requests waiting for topics; each holds a thread
QUEUE = 20  # running or waiting jobs; builds and other work are counted separately
LETTERS = 200  # characters of a name or a term
TITLE = 120  # characters of a title or of a person's name
TOP = 200  # terms per topic
BODY = 2_000_000  # bytes of a request other than an upload
PREVIEW_BYTES = 262_144  # read from the beginning of a file for a preview
PREVIEW_PARQUET = 16_000_000  # bytes of a Parquet file's uncompressed rows
PREVIEW_ROWS = 8
PREVIEW_LETTERS = 300  # characters of a cell
COLUMNS = 200  # per table
WORKBOOK_BYTES = 400_000_000  # of an uncompressed Excel workbook, which is read into memory
WORKBOOK_CELLS = 10_000_000  # of its sheets, empty ones included
LONGEST_LINE = 50_000_000  # bytes; also the longest document
LISTED = 2_000  # entries per folder
PAGE = 100  # documents per response
SOURCES = 8  # per annotation round
ROUNDS = 200  # per project
ANNOTATORS = 100  # per round
COMPARISONS = 200  # per project; older ones are deleted
RUNS = 300  # of methods whose topics are kept; older ones are deleted
DOCUMENT_WORDS = 20_000  # shown of a document


@dataclass(frozen=True, kw_only=True)
class UploadLimits:
    """Limits on uploads."""

    file_bytes: int = 500_000_000
    files: int = 100
    unpacked: int = 10  # times `file_bytes` that a compressed file may unpack to


@dataclass(frozen=True, kw_only=True)
class ConnectionLimits:
    """Number of connections, and time limits for each."""

    connections: int = 256  # at once; the oldest idle one is dropped to make room
    head_seconds: float = 15.0  # for the headers of a request
    body_seconds: float = 30.0  # for its body, more if it is long:
    bytes_a_second: int = 4_000  # minimum average rate of the body
    answer_seconds: float = 60.0  # for the client to receive the response


@dataclass(frozen=True, kw_only=True)
class WorkbenchSettings:
    """Locations, and what users may do."""

    data: Path
    folder: Path | None = None
    models: tuple[str, ...] = ()
    cache: Path | None = None
    jobs: int | None = None
    uploads: UploadLimits = field(default_factory=UploadLimits)
