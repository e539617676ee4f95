"""What a discovery is to find: names, the index to find their terms in, and the method."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from seetopic.corpus import Judgements, Seeds, Settled
from seetopic.discovery.named_terms import with_named_terms
from seetopic.discovery.names import EncodedNames, encode_names
from seetopic.discovery.tree import names_in_context, tree_of
from seetopic.errors import NotEnoughTerms
from seetopic.index import Index
from seetopic.runtime import Floats, Progress, silent
from seetopic.settings import DEFAULT, DiscoverySettings, as_json
from seetopic.text import Variants, no_variants
from seetopic.version import __version__


@dataclass(frozen=True)
class Query:
    """What to find: names, the index to find their terms in, and the method."""

    index: Index
    seeds: Seeds
    settings: DiscoverySettings = DEFAULT.discovery
    preset: str = DEFAULT.preset
    device: str = "auto"  # for training, if the preset trains vectors
    progress: Progress = silent
    random_state: int | None = None  # for training; None means the index's
    name_vectors: Mapping[str, Floats] = field(default_factory=dict)  # given by the user, by category
    judgements: Judgements = field(default_factory=Judgements)
    settled: Settled = field(default_factory=Settled)  # what they say about these names

    def __post_init__(self) -> None:
        n_terms = len(self.index.vocabulary)
        if len(self.seeds) > n_terms:
            raise NotEnoughTerms(
                f"{len(self.seeds)} categories need at least {len(self.seeds)} terms, but the index has {n_terms}; "
                "give fewer names, lower --min-count (in Python: min_count of SeeTopic or TextSettings), or give more "
                "documents"
            )

    @property
    def variants(self) -> Variants:
        return self.index.variants if self.settings.merge_variants else no_variants(len(self.index.vocabulary))

    @property
    def may_merge_names(self) -> bool:
        """Whether names that mean nearly the same share documents and terms.

        Not if documents or vectors of the user tell them apart, nor in the paper.
        """
        settings, examples = self.settings, any(seed.examples for seed in self.seeds.seeds)
        told_apart = self.settled.documents or examples or self.name_vectors
        return not told_apart and settings.documents_weight > 0 and settings.assignment == "best"

    def encoded_names(self) -> EncodedNames:
        names = encode_names(self.index, self.seeds, self.name_vectors, self.progress)
        tree = tree_of(self.seeds)
        return names if tree is None else names_in_context(self.index, self.seeds, tree, names, self.progress)

    def made_with(self) -> dict[str, Any]:
        """What is needed to reproduce the topics."""
        random_state = self.index.settings.random_state if self.random_state is None else self.random_state
        return {
            "preset": self.preset,
            "settings": {"index": self.index.manifest["settings"], "discovery": as_json(self.settings)},
            **self.index.models,
            **self.judgements.made_with(),
            "random_state": random_state,
            "version": __version__,
            "corpus": self.index.manifest["corpus"],
        }


def index_with_names(
    index: Index,
    seeds: Seeds,
    settings: DiscoverySettings,
    progress: Progress = silent,
    accepted: Iterable[str] = (),
) -> Index:
    """The index with names and accepted terms that occur in the documents as terms; unchanged if vectors are trained.

    Training would have to learn vectors of the names from documents that were segmented without them.
    """
    if settings.training is not None:
        return index
    given = [term for seed in seeds.seeds for term in (*seed.names, *seed.pinned)]
    return with_named_terms(index, [*given, *accepted], progress)
