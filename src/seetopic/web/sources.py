"""Where documents come from, and how they are to be read and indexed."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints

from seetopic.settings import DEFAULT, IndexSettings
from seetopic.web.limits import LETTERS
from seetopic.web.schemas import Frozen

PathText = Annotated[str, StringConstraints(max_length=4000)]
Field_ = Annotated[str, StringConstraints(min_length=1, max_length=LETTERS)]


class FileSource(Frozen):
    """A file or an index in the server's folder."""

    kind: Literal["file", "index"]
    path: PathText


class UploadSource(Frozen):
    """A file that was sent."""

    kind: Literal["upload"]
    id: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{16}$")]


class DemoSource(Frozen):
    """The articles that come with seetopic."""

    kind: Literal["demo"]


class GivenSource(Frozen):
    """What the command line was given: never asked for over the network."""

    kind: Literal["given"]
    path: str
    seen: str = ""  # its size and last change: what was changed since is another corpus


Source = Annotated[FileSource | UploadSource | DemoSource, Field(discriminator="kind")]


class BuildOptions(Frozen):
    """How documents are read and indexed."""

    text_field: Field_ | None = None
    label_field: Field_ | None = None
    model: Annotated[str, StringConstraints(max_length=4000)] | None = None
    min_count: int = Field(default=DEFAULT.index.text.min_count, ge=1, le=1_000_000)
    language: Annotated[str, StringConstraints(min_length=1, max_length=100)] = DEFAULT.index.text.language
    on_error: Literal["raise", "skip"] = "raise"

    def to_settings(self) -> IndexSettings:
        """What an index is built with; refuses what it cannot be built with."""
        text = replace(DEFAULT.index.text, min_count=self.min_count, language=self.language)
        return replace(DEFAULT.index, text=text)


def source_from(value: dict[str, Any]) -> Any:
    """A source as it was kept."""
    kinds: dict[str, type[Frozen]] = {"upload": UploadSource, "demo": DemoSource, "given": GivenSource}
    return kinds.get(value["kind"], FileSource).model_validate(value)
