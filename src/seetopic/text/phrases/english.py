"""English function words by class, and a model of English noun phrases."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from seetopic.runtime import Doubles

CLASSES = {
    "determiner": "the a an this these those my your his her its our their each every another any some no",
    "preposition": """of in for with on at from by about into between among during after before over under through
        against without within as like than""",
    "to": "to",
    "pronoun": "i you he she it we they who which that there what",
    "auxiliary": """is are was were be been being am has have had do does did will would can could may might must shall
        should 's 'm 're 've 'll 'd n't not""",
    "degree": "very so too more most really quite extremely less",
    "adverb": "also just only even still never always",
    "conjunction": "and or but if when while because",
}
# Endings of adverbs, participles, plurals, nouns and adjectives, for words with too few neighbours.
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
# "Years ago", "last week" and "10 mg kg" say when and how much, but name nothing.
_TIMES = """
    second seconds minute minutes hour hours day days night nights week weeks weekend month months year years decade
    decades century centuries ago later earlier old last next past previous first few couple recent early late back
    today yesterday tomorrow monday tuesday wednesday thursday friday saturday sunday january february march april may
    june july august september october november december jan feb mar apr jun jul aug sep sept oct nov dec
"""
TIMES = frozenset(_TIMES.split())
_UNITS = """
    mg kg g microg mcg ng pg lb lbs oz ml dl cl l mm cm km m nm ft inch inches hg h2o mmol mol nmol pmol meq iu hz khz
    mhz ghz kb mb gb percent mph kph
"""
UNITS = frozenset(_UNITS.split())
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

    begins: Doubles  # log-odds that a word is in a noun phrase, before its last word; (N_TOLD,)
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
        """0.357 0.24 -0.0128 -0.0173 -0.0131 0.0562 -0.0212 0.049 0.0579 -0.0144 0.237 0.122 -0.166 -0.145
        0.0163 -0.0369 -0.216 -0.0107 -0.0274 -0.0118 0.0476 -0.0774 2.24 0.106 -1.06 -0.0122 -0.476 -0.572
        -0.0135 -0.0789 0.326 2.68 -1.01"""
    ),
    ends=_numbers(
        """0.252 0.209 0.0351 -0.154 -0.313 -0.0168 -0.0259 -0.032 0.0332 -0.0807 0.523 0.195 -0.065 0.416
        0.0508 0.0538 0.565 0.0123 0.112 0.108 0.0349 -0.0126 -0.992 0.657 -2.05 -3.34 -1.05 0.499 0.0959
        0.265 -0.539 -3.75 0.242"""
    ),
    means=_numbers("""0.535 0.0917 0.0949 0.631 0.64 0.262 0.0745 0.104 0.164 0.221 0.45 -1.93 0.548 -2.42 0.139"""),
    scales=_numbers("""0.192 0.266 0.268 0.296 0.308 0.294 0.0827 0.135 0.155 0.215 2.65 2.24 2.06 3.03 0.346"""),
    weights=_numbers(
        """0.654 -0.467 -0.121 0.858 0.582 0.0229 -0.119 -0.301 0.182 0.123 0.828 0.405 0.53 0.0274 -0.106"""
    ),
    bias=0.00843,
)
