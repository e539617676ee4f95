"""From category names to topics."""

from __future__ import annotations

from seetopic.discovery.algorithm import starting_terms
from seetopic.discovery.calibration import (
    BY_TERMS,
    READ,
    even_shares,
    expected_accuracy,
    joined_with_none,
    level_of_none,
    mixed,
    shares_with_none,
    trust_by_judged,
    trust_for,
)
from seetopic.discovery.constraints import constraints_of
from seetopic.discovery.evidence.confidence import DOUBTFUL
from seetopic.discovery.evidence.documents import clear_memberships
from seetopic.discovery.evidence.similarity import mean_vectors, products
from seetopic.discovery.lessons import allowed_categories, says_something
from seetopic.discovery.name_check import Check, check, check_build
from seetopic.discovery.named_terms import NamedIndex, base_of, with_named_terms
from seetopic.discovery.names import encode_names
from seetopic.discovery.nearest import NEAREST, averaged, averaged_with_known
from seetopic.discovery.query import Query, index_with_names
from seetopic.discovery.questions import About, Question, ask
from seetopic.discovery.ranking import Entries, pick_best
from seetopic.discovery.run import Discovery, discover, find, run_of
from seetopic.discovery.sampled import SampledDocuments, sampled_documents, shares_of_read
from seetopic.discovery.self_training import CLOSED, SortedSample, is_closed
from seetopic.discovery.suggestions import as_seeds_file, suggest, suggest_below, suggest_beside
from seetopic.discovery.teaching import CONSTANT, corrections, most_predictive
from seetopic.discovery.teaching_report import TeachingReport, teaching_report
from seetopic.discovery.term_rule import SortedDocuments, TermRule, rule_for_new
from seetopic.discovery.topics import (
    RESULTS,
    RankedTerm,
    Residual,
    Topic,
    Topics,
    refuse_other_results,
    results_in,
)
from seetopic.discovery.tree import Tree, tree_of
from seetopic.discovery.tree_sorting import widened
from seetopic.discovery.wildcards import expanded

__all__ = [
    "BY_TERMS",
    "CLOSED",
    "CONSTANT",
    "DOUBTFUL",
    "NEAREST",
    "READ",
    "RESULTS",
    "About",
    "Check",
    "Discovery",
    "Entries",
    "NamedIndex",
    "Query",
    "Question",
    "RankedTerm",
    "Residual",
    "SampledDocuments",
    "SortedDocuments",
    "SortedSample",
    "TeachingReport",
    "TermRule",
    "Topic",
    "Topics",
    "Tree",
    "allowed_categories",
    "as_seeds_file",
    "ask",
    "averaged",
    "averaged_with_known",
    "base_of",
    "check",
    "check_build",
    "clear_memberships",
    "constraints_of",
    "corrections",
    "discover",
    "encode_names",
    "even_shares",
    "expanded",
    "expected_accuracy",
    "find",
    "index_with_names",
    "is_closed",
    "joined_with_none",
    "level_of_none",
    "mean_vectors",
    "mixed",
    "most_predictive",
    "pick_best",
    "products",
    "refuse_other_results",
    "results_in",
    "rule_for_new",
    "run_of",
    "sampled_documents",
    "says_something",
    "shares_of_read",
    "shares_with_none",
    "starting_terms",
    "suggest",
    "suggest_below",
    "suggest_beside",
    "teaching_report",
    "tree_of",
    "trust_by_judged",
    "trust_for",
    "widened",
    "with_named_terms",
]
