"""Words to phrases: frequent runs, how good a phrase each is, and each sentence cut into terms."""

from seetopic.phrases.candidates import Candidates
from seetopic.phrases.mining import mine
from seetopic.phrases.table import PhraseTable, segment

__all__ = ["Candidates", "PhraseTable", "mine", "segment"]
