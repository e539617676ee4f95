"""From words to phrases: frequent runs, their quality as phrases, and sentences cut into terms."""

from seetopic.text.phrases.candidates import Candidates, kept_runs
from seetopic.text.phrases.mining import mine
from seetopic.text.phrases.table import PhraseTable, cut

__all__ = ["Candidates", "PhraseTable", "cut", "kept_runs", "mine"]
