"""What to count, and how dates are read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from seetopic.classify.findings.dates import UNITS, DateOrder, Unit
from seetopic.classify.findings.judged import JudgedDocuments
from seetopic.errors import SettingsError


@dataclass(frozen=True, kw_only=True)
class TrendOptions:
    """The columns of a table that matter, and what is made of them."""

    time: str | None = None  # the column of dates
    group: str | None = None
    by: Unit | Literal["auto"] = "auto"  # length of a period
    several: bool = False  # all categories of a document, or only the best one
    label_field: str | None = None  # the column of true categories
    judged: JudgedDocuments | None = None  # instead of labels
    dates: DateOrder | None = None
    time_zone: str | None = None
    top: int = 10  # typical terms per period or group

    def __post_init__(self) -> None:
        if self.time is None and self.group is None:
            raise SettingsError("neither --time nor --group is given; name the column of dates, of groups, or both")
        if self.label_field is not None and self.judged is not None:
            raise SettingsError("both --label-field and --judgements are given; give only one")
        if self.by not in (*UNITS, "auto"):
            raise SettingsError(f"`by` is {self.by!r}, but must be one of {', '.join(UNITS)}, auto")
        if self.top < 1:
            raise SettingsError(f"`top` is {self.top}, but must be at least 1")

    @property
    def unit(self) -> Unit | None:
        """The length of a period, unless it depends on the dates."""
        return None if self.by == "auto" else self.by

    @property
    def calibrates(self) -> bool:
        return self.label_field is not None or self.judged is not None

    @property
    def kept(self) -> list[str]:
        """The columns that were kept beside the documents."""
        return list(dict.fromkeys(name for name in (self.time, self.group, self.label_field) if name is not None))

    @property
    def required(self) -> list[str]:
        """All columns that a table must have."""
        own = [
            "category",
            *(["categories"] if self.several else []),
            *(["document"] if self.judged is not None else []),
        ]
        return list(dict.fromkeys([*own, *self.kept]))
