"""Where documents come from, and how to read and index them."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Literal

from pydantic import Field, StringConstraints, TypeAdapter

from seetopic.settings import DEFAULT, IndexSettings
from seetopic.web.limits import COLUMNS, LETTERS
from seetopic.web.schemas import Frozen

PathText = Annotated[str, StringConstraints(max_length=4000)]
Field_ = Annotated[str, StringConstraints(min_length=1, max_length=LETTERS)]
Delimiter = Annotated[str, StringConstraints(min_length=1, max_length=3)]
Encoding = Annotated[str, StringConstraints(min_length=1, max_length=40, pattern=r"^[A-Za-z0-9_.:-]+$")]


class FileSource(Frozen):
    """A file or an index in the server's folder."""

    kind: Literal["file", "index"]
    path: PathText


class UploadSource(Frozen):
    """An uploaded file."""

    kind: Literal["upload"]
    id: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{16}$")]


class DemoSource(Frozen):
    """The articles that come with seetopic."""

    kind: Literal["demo"]


class GivenSource(Frozen):
    """A path given on the command line; never accepted over the network."""

    kind: Literal["given"]
    path: str
    seen: str = ""  # its size and modification time; if they change, it is another corpus


Source = Annotated[FileSource | UploadSource | DemoSource, Field(discriminator="kind")]
StoredSource = FileSource | UploadSource | DemoSource | GivenSource  # as the database has them


class BuildOptions(Frozen):
    """How documents are read and indexed."""

    text_field: Field_ | None = None
    label_field: Field_ | None = None
    model: Annotated[str, StringConstraints(max_length=4000)] | None = None
    min_count: int = Field(default=DEFAULT.index.text.min_count, ge=1, le=1_000_000)
    language: Annotated[str, StringConstraints(min_length=1, max_length=100)] = DEFAULT.index.text.language
    on_error: Literal["raise", "skip"] = "raise"
    delimiter: Delimiter | None = None  # None: detected, as is the encoding
    encoding: Encoding | None = None
    keep: tuple[Field_, ...] = Field(default=(), max_length=COLUMNS)  # columns beside the text: dates, groups, ids

    def to_settings(self) -> IndexSettings:
        """Index settings from these options; invalid ones raise an error."""
        text = replace(DEFAULT.index.text, min_count=self.min_count, language=self.language)
        return replace(DEFAULT.index, text=text)


_STORED: TypeAdapter[StoredSource] = TypeAdapter(Annotated[StoredSource, Field(discriminator="kind")])


def source_from(text: str) -> StoredSource:
    """A source from its stored form, JSON."""
    return _STORED.validate_json(text)
