"""Corpora over HTTP: listing, files to open, uploads, previews, indexing."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Body, Query, Request, Response
from starlette.requests import ClientDisconnect

from seetopic.corpus import demo_documents
from seetopic.errors import CorpusError
from seetopic.evaluation import BELONGS, METHODS, available
from seetopic.output import FORMATS
from seetopic.settings import PRESETS
from seetopic.vectors import EMBEDDED_NAME
from seetopic.version import __version__
from seetopic.web.corpora import Corpus
from seetopic.web.preview import Preview, preview_of
from seetopic.web.routes.common import Bench, Id, router_for
from seetopic.web.schemas import Frozen, Title
from seetopic.web.served_folder import Listing
from seetopic.web.sources import BuildOptions, Delimiter, Encoding, Source
from seetopic.web.uploads import Upload

router = router_for("corpora")
_ABOUT = {
    "default": "seetopic, as on this page",
    "paper": "the paper's Algorithm 1, with trained vectors",
    "released-code": "the paper's released code",
    "no-iter": "the paper's method without iterations",
    "plm": "the language model only",
    "zero-shot": "documents classified by the language model, then their typical terms",
    "seeded-lda": "LDA with the names as priors",
    "anchored-corex": "CorEx with the names as anchors",
    "labeled-etm": "embedded topic model with labels",
    "cate": "category-guided embeddings",
    "bertopic-guided": "BERTopic, guided by the names",
    "bertopic-zeroshot": "BERTopic, zero-shot by the names",
}
_QUICK = ("default", "plm", "zero-shot")


class FormatAbout(Frozen):
    name: str
    about: str
    suffix: str


class MethodAbout(Frozen):
    name: str
    about: str
    available: bool
    slow: bool
    trains: bool  # vectors, which takes minutes on a CPU


class About(Frozen):
    """What this workbench offers."""

    version: str
    folder: str | None
    upload_bytes: int
    formats: tuple[FormatAbout, ...]
    methods: tuple[MethodAbout, ...]
    models: tuple[str, ...]
    demo: bool
    belongs: str  # what it means that a term or a document belongs to a category
    given: str | None  # the corpus that the server was started with


class NewCorpus(BuildOptions):
    source: Source
    title: Title | None = None


class NewTitle(Frozen):
    title: Title


class AskedReading(Frozen):
    """How a file is to be read; what is missing is detected."""

    delimiter: Delimiter | None = None
    encoding: Encoding | None = None


class AskedPreview(AskedReading):
    source: Source


class NewOptions(BuildOptions):
    title: Title | None = None


@router.get("/workbench")
def about(workbench: Bench) -> About:
    """What this workbench offers."""
    root = workbench.settings.folder
    return About(
        version=__version__,
        folder=None if root is None else (root.resolve().name or "/"),
        upload_bytes=workbench.settings.uploads.file_bytes,
        formats=tuple(
            FormatAbout(name=name, about=each.about, suffix=each.suffixes[0]) for name, each in FORMATS.items()
        ),
        methods=tuple(
            MethodAbout(
                name=name,
                about=_ABOUT.get(name, name),
                available=available(name),
                slow=name not in _QUICK,
                trains=name in PRESETS and PRESETS[name].discovery.training is not None,
            )
            for name in METHODS
        ),
        models=(EMBEDDED_NAME, *workbench.settings.models),
        demo=True,
        belongs=BELONGS,
        given=workbench.given,
    )


@router.get("/files")
def files(workbench: Bench, folder: Annotated[str, Query(max_length=4000)] = "") -> Listing:
    """List a folder within the server's folder."""
    return workbench.folder.listing(folder)


@router.post("/uploads", status_code=201, openapi_extra={"requestBody": {"content": {"application/octet-stream": {}}}})
async def upload(request: Request, workbench: Bench, name: Annotated[str, Query(max_length=1000)]) -> Upload:
    """Upload a file of documents as the request body."""
    length = request.headers.get("content-length", "")
    announced = int(length) if length.isascii() and length.isdigit() and len(length) < 20 else None
    try:
        return await workbench.uploads.receive(name, request.stream(), announced)
    except ClientDisconnect as error:
        raise CorpusError(f"{name[:80]!r} was not uploaded completely; upload it again") from error


@router.post("/previews")
def preview(workbench: Bench, asked: Annotated[AskedPreview, Body()]) -> Preview:
    """The beginning of a file, and the column that most likely holds the text."""
    path = workbench.corpora.path_of(asked.source) or _demo_path()
    return preview_of(path, asked.delimiter, asked.encoding)


def _demo_path() -> Any:
    return demo_documents().source


@router.get("/corpora")
def corpora(workbench: Bench) -> list[Corpus]:
    """All corpora, newest first."""
    return workbench.corpora.all()


@router.post("/corpora", status_code=202)
def add(workbench: Bench, asked: Annotated[NewCorpus, Body()]) -> Corpus:
    """Open an index, or start indexing documents in the background."""
    options = BuildOptions(**asked.model_dump(exclude={"source", "title"}))
    return workbench.corpora.add(asked.source, options, asked.title)


@router.get("/corpora/{corpus}")
def corpus(workbench: Bench, corpus: Id) -> Corpus:
    """One corpus; while it is being indexed, with the progress."""
    return workbench.corpora.get(corpus)


@router.post("/corpora/{corpus}/preview")
def preview_again(workbench: Bench, corpus: Id, asked: Annotated[AskedReading, Body()]) -> Preview:
    """The beginning of a corpus's documents, read with other options."""
    path = workbench.corpora.source_path(corpus) or _demo_path()
    return preview_of(path, asked.delimiter, asked.encoding)


@router.post("/corpora/{corpus}/options", status_code=202)
def change(workbench: Bench, corpus: Id, asked: Annotated[NewOptions, Body()]) -> Corpus:
    """Index the same documents with other options; if projects use the index, as a second corpus beside it."""
    options = BuildOptions(**asked.model_dump(exclude={"title"}))
    changed = workbench.corpora.change(corpus, options, asked.title)
    workbench.forget(changed.id)
    return changed


@router.post("/corpora/{corpus}/title")
def rename(workbench: Bench, corpus: Id, asked: Annotated[NewTitle, Body()]) -> Corpus:
    """Rename a corpus."""
    return workbench.corpora.rename(corpus, asked.title)


@router.post("/corpora/{corpus}/stop")
def stop(workbench: Bench, corpus: Id) -> Corpus:
    """Stop indexing; progress is kept."""
    return workbench.corpora.stop(corpus)


@router.post("/corpora/{corpus}/resume")
def resume(workbench: Bench, corpus: Id) -> Corpus:
    """Resume an index that was stopped or failed."""
    return workbench.corpora.resume(corpus)


@router.delete("/corpora/{corpus}", status_code=204)
def remove(workbench: Bench, corpus: Id) -> Response:
    """Remove a corpus that no project uses; the user's own files are not touched."""
    workbench.corpora.remove(corpus)
    workbench.forget(corpus)
    return Response(status_code=204)
