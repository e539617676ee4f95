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
FEATURES = (
    "count",
    "weakest attraction",
    "mean attraction",
    "share of what precedes the last word",
    "share of what follows the first word",
    "same word after",
    "same word before",
    "no content word before",
    "no content word after",
    "article before",
    "verb before",
    "verb after",
    "joined after",
    "last word ends",
    "last word begins",
    "first word begins",
    "first word ends",
    "three words or more",
)
ABOUT_FORM = slice(FEATURES.index("no content word before"), FEATURES.index("first word ends") + 1)


@dataclass(frozen=True, eq=False)
class Model:
    """Weights of two regressions on a word's neighbours, and of one on a run's features."""

    begins: Doubles  # how likely a word stands in a noun phrase before its last word; (2 * N_CLASSES,)
    ends: Doubles  # how likely it is the last word
    means: Doubles  # of each feature; (len(FEATURES),)
    scales: Doubles
    weights: Doubles
    bias: float


def _numbers(text: str) -> Doubles:
    return np.array(text.split(), np.float64)


# Fitted to a parser's noun chunks in the demo's articles, and to no other text, by benchmarks/fit_phrases.py.
ENGLISH = Model(
    begins=_numbers(
        """0.368 0.206 -0.000117 0.0139 0.00364 -0.00611 0.00652 -0.0443 0.208 0.0903 -0.151 -0.172 0.0318
        -0.0489 -0.224 -0.04 0.0224 -0.123 2.15 0.166"""
    ),
    ends=_numbers(
        """0.284 0.257 0.13 -0.0825 -0.388 -0.0637 -0.0279 -0.0841 0.495 0.146 -0.049 0.347 0.0344 0.0529 0.593
        0.0593 0.0549 -0.0112 -1.04 0.629"""
    ),
    means=_numbers(
        """2.17 0.532 0.544 -2.54 -2.36 0.0967 0.0994 0.618 0.637 0.262 0.104 0.159 0.224 0.305 -0.538 1.81
        -2.18 0.142"""
    ),
    scales=_numbers(
        "0.621 0.191 0.196 1.6 1.59 0.27 0.271 0.298 0.312 0.298 0.139 0.152 0.217 2.44 2.03 1.89 2.65 0.349"
    ),
    weights=_numbers(
        """-0.104 0.531 0.403 -0.307 0.0997 -0.442 -0.0474 0.928 0.633 0.0571 -0.33 0.192 0.119 0.826 0.359
        0.576 0.0806 -0.179"""
    ),
    bias=-0.0887,
)
