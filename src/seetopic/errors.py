"""Errors a user can cause; each message is one sentence: what is wrong, the value, what to change.

SeeTopicError
├── SettingsError       a setting or an option with an invalid value
├── CorpusError         documents that cannot be read
├── SeedError           category names that cannot be used
│   └── NotEnoughTerms  more terms requested than the documents have
├── JudgementError      judgements of terms and documents that cannot be read or used
├── EncoderError        a language model that is missing, incompatible or returns invalid vectors
├── IndexFailure        an index that cannot be built or opened
│   ├── DamagedIndex    one of its files is missing, truncated or changed
│   └── IndexInUse      another build is writing to the same folder
├── SheetError          annotation sheets that cannot be read or compared
├── OutputError         a result that cannot be written, or read back
├── ClusterError        a cluster that cannot be reached or used
├── WorkerLost          a task that kills every process that runs it
├── NotEnoughMemory     work that would need more memory than it is allowed
└── MissingExtra        an optional package that is not installed

The first four are also `ValueError`s, and `MissingExtra` is an `ImportError`. A `SeeTopic` that is used before it is
fitted raises `seetopic.estimator.NotFitted`, which is a `SeeTopicError` and scikit-learn's `NotFittedError`.
"""

from __future__ import annotations


class SeeTopicError(Exception):
    """Base class; the command line prints the message on one line and exits with code 2."""


class SettingsError(SeeTopicError, ValueError):
    """A setting or an option with an invalid value."""


class CorpusError(SeeTopicError, ValueError):
    """Documents that cannot be read."""


class SeedError(SeeTopicError, ValueError):
    """Category names that cannot be used."""


class JudgementError(SeeTopicError, ValueError):
    """Judgements of terms and documents that cannot be read or used."""


class NotEnoughTerms(SeedError):
    """More terms requested than the documents have."""


class EncoderError(SeeTopicError):
    """A language model that is missing, incompatible or returns invalid vectors."""


class IndexFailure(SeeTopicError):
    """An index that cannot be built or opened."""


class DamagedIndex(IndexFailure):
    """One of the index's files is missing, truncated or changed."""


class IndexInUse(IndexFailure):
    """Another build is writing to the same folder."""


class SheetError(SeeTopicError):
    """Annotation sheets that cannot be read or compared."""


class OutputError(SeeTopicError):
    """A result that cannot be written, or read back."""


class ClusterError(SeeTopicError):
    """A cluster that cannot be reached or used."""


class WorkerLost(SeeTopicError):
    """A task that kills every process that runs it."""


class NotEnoughMemory(SeeTopicError):
    """Work that would need more memory than it is allowed."""


class MissingExtra(SeeTopicError, ImportError):
    """An optional package that is not installed."""

    def __init__(self, purpose: str, extra: str) -> None:
        super().__init__(purpose, extra)  # both arguments, so that a worker process can pickle it
        self.purpose = purpose
        self.extra = extra

    def __str__(self) -> str:
        return f'{self.purpose} needs an extra: pip install "seetopic[{self.extra}]"'
