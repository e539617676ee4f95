"""Every error a user can cause, each one sentence: what is wrong, with which value, what to change.

SeeTopicError
├── SettingsError       a number or an option outside its range
├── CorpusError         documents that cannot be read
├── SeedError           category names that cannot be used
│   └── NotEnoughTerms  more terms asked for than the documents have
├── EncoderError        a language model that is missing, foreign or gives bad vectors
├── IndexFailure        an index that cannot be built or opened
│   ├── DamagedIndex    a file of it is missing, truncated or changed
│   └── IndexInUse      another build is writing to the same folder
├── SheetError          judgements of terms that cannot be read
├── OutputError         a result that cannot be written, or read again
├── ClusterError        other machines that cannot be reached or used
├── WorkerLost          a piece of work that ends every process that does it
├── NotEnoughMemory     a build that would need more memory than it may have
└── MissingExtra        an optional package that is not installed

The first three are `ValueError`s as well, and `MissingExtra` is an `ImportError`.
"""

from __future__ import annotations


class SeeTopicError(Exception):
    """The root: the command line shows its message as one line and ends with exit code 2."""


class SettingsError(SeeTopicError, ValueError):
    """A number or an option outside its range."""


class CorpusError(SeeTopicError, ValueError):
    """Documents that cannot be read."""


class SeedError(SeeTopicError, ValueError):
    """Category names that cannot be used."""


class NotEnoughTerms(SeedError):
    """More terms asked for than the documents have."""


class EncoderError(SeeTopicError):
    """A language model that is missing, foreign or gives bad vectors."""


class IndexFailure(SeeTopicError):
    """An index that cannot be built or opened."""


class DamagedIndex(IndexFailure):
    """A file of the index is missing, truncated or changed."""


class IndexInUse(IndexFailure):
    """Another build is writing to the same folder."""


class SheetError(SeeTopicError):
    """Judgements of terms that cannot be read."""


class OutputError(SeeTopicError):
    """A result that cannot be written, or read again."""


class ClusterError(SeeTopicError):
    """Other machines that cannot be reached or used."""


class WorkerLost(SeeTopicError):
    """A piece of work that ends every process that does it."""


class NotEnoughMemory(SeeTopicError):
    """Work that would need more memory than it was allowed."""


class MissingExtra(SeeTopicError, ImportError):
    """An optional package that is not installed."""

    def __init__(self, purpose: str, extra: str) -> None:
        super().__init__(purpose, extra)  # both, so that it can come back from a worker process
        self.purpose = purpose
        self.extra = extra

    def __str__(self) -> str:
        return f'{self.purpose} needs an extra: pip install "seetopic[{self.extra}]"'
