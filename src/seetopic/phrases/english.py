"""English: its function words by class, and what nouns, phrases and their neighbours look like among them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from seetopic.arrays import Doubles

CLASSES = {
    "determiner": "the a an this these those my your his her its our their each every another any some no",
    "preposition": """of in for with on at from by about into between among during after before over under through
        against without within as like than""",
    "to": "to",
    "pronoun": "i you he she it we they who which that there what",
    "auxiliary": """is are was were be been being am has have had do does did will would can could may might must shall
        should 's 'm 're 've 'll 'd n't not""",
    "adverb": "very so too also more most really quite just only even still never always",
    "conjunction": "and or but if when while because",
}
# What a word's form tells where its neighbours are too few to tell: adverbs, participles, plurals, nouns, adjectives.
ENDINGS = (
    ("ly",),
    ("ed",),
    ("ing",),
    ("s",),
    ("er", "or", "ist"),
    ("ion", "ity", "ness", "ment", "ance", "ence", "ship", "ism", "ure", "age"),
    ("al", "ic", "ous", "ive", "ful", "able", "ible", "ary", "less", "ish", "an"),
    ("'s",),
)
FEATURES = (
    "weakest attraction",
    "same word after",
    "same word before",
    "no content word before",
    "no content word after",
    "article before",
    "number before",
    "verb before",
    "verb after",
    "joined after",
    "last word ends",
    "last word begins",
    "weakest word begins",
    "first word ends",
    "three words or more",
)
ABOUT_FORM = slice(FEATURES.index("no content word before"), FEATURES.index("first word ends") + 1)


@dataclass(frozen=True, eq=False)
class Model:
    """Weights of two regressions on a word's neighbours and ending, and of one on a run's features."""

    begins: Doubles  # log-odds that a word stands in a noun phrase before its last word; (N_TOLD,)
    ends: Doubles  # and that it is the last word
    means: Doubles  # of each feature; (len(FEATURES),)
    scales: Doubles
    weights: Doubles
    bias: float


def _numbers(text: str) -> Doubles:
    return np.array(text.split(), np.float64)


# Fitted to a parser's noun chunks in the demo's articles, and to no other text, by benchmarks/fit_phrases.py.
ENGLISH = Model(
    begins=_numbers(
        """0.36 0.243 -0.0145 -0.0158 -0.000732 0.00894 0.0495 0.0617 -0.0113 0.229 0.121 -0.172 -0.142 0.0234
        -0.029 -0.213 -0.0583 -0.00578 0.0525 -0.0752 2.26 0.115 -1.06 -0.0381 -0.488 -0.559 -0.0352 -0.0921
        0.345 2.67 -1.02"""
    ),
    ends=_numbers(
        """0.249 0.204 0.0292 -0.143 -0.292 -0.0777 -0.0303 0.0371 -0.0826 0.521 0.202 -0.0586 0.42 0.0576
        0.0581 0.574 0.0771 0.111 0.0458 -0.0105 -0.966 0.663 -2.09 -3.39 -1.09 0.499 0.0956 0.253 -0.531
        -3.79 0.21"""
    ),
    means=_numbers("""0.535 0.0917 0.0949 0.631 0.64 0.262 0.0745 0.104 0.164 0.221 0.453 -1.94 0.547 -2.39 0.139"""),
    scales=_numbers("""0.192 0.266 0.268 0.296 0.308 0.294 0.0827 0.135 0.155 0.215 2.62 2.23 2.04 3.01 0.346"""),
    weights=_numbers(
        """0.653 -0.468 -0.116 0.863 0.579 0.0155 -0.12 -0.298 0.186 0.121 0.815 0.387 0.544 0.0326 -0.104"""
    ),
    bias=0.0118,
)
