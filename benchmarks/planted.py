"""Any number of documents from a topic model: planted topics, a Zipf vocabulary of 200,000 words, about 15 words each.

A topic has real words that belong to its name, and made-up words whose topic only the documents reveal. The names
themselves never occur. The same number and random state give the same bytes; a longer corpus begins with the
documents of a shorter one.

    python benchmarks/planted.py FOLDER --documents 10000000
"""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

N_WORDS = 200_000
OWN_WORDS = 1_000  # made-up words of each topic
TOPICAL = 0.4  # share of a document's words that come from its topic
SHORTEST, LONGEST = 8, 22  # words per document: 15 on average
FILE = 500_000  # documents per file
BATCH = 50_000  # documents drawn at a time; each batch has its own generator

TOPICS = {
    "cooking": "recipe oven flour butter garlic onion sauce simmer bake roast saucepan kitchen chef spices dough",
    "astronomy": "telescope galaxy planets orbit comet nebula asteroid stellar moons supernova eclipse astronomer",
    "medicine": "patient surgeon hospital diagnosis symptoms doctor nurse therapy clinic disease tumor prescription",
    "football": "goalkeeper striker midfielder penalty goal league referee kickoff defender offside coach stadium",
    "finance": "bank loan interest stocks bonds investor dividend portfolio broker mortgage shares hedge profits",
    "music": "guitar melody album singer concert orchestra piano drummer chorus violin song lyrics band symphony",
    "gardening": "soil seedlings pruning compost shrubs flowers lawn roses watering perennial tulips mulch weeds",
    "aviation": "aircraft pilot runway cockpit airline takeoff landing jet turbulence propeller flight airport",
    "law": "judge court lawsuit attorney verdict jury plaintiff defendant statute appeal testimony prosecutor",
    "religion": "church prayer priest bible mosque worship temple faith sermon bishop rabbi pilgrimage gospel",
    "fashion": "dress designer runway couture skirt fabric handbag jacket silk outfit boutique model shoes",
    "computers": "software laptop keyboard processor server programmer database algorithm monitor browser debugging",
    "education": "teacher classroom pupils homework curriculum exam university lecture tuition kindergarten students",
    "weather": "storm rainfall thunder forecast humidity snow hurricane blizzard temperature drizzle sunshine fog",
    "war": "soldiers battle troops artillery army tank infantry invasion missile weapons combat ceasefire regiment",
    "animals": "lion elephant wolf zebra giraffe mammal tiger monkey bear rabbit crocodile kangaroo penguin",
    "cars": "engine sedan gearbox brakes tires steering horsepower dealership dashboard clutch convertible hatchback",
    "architecture": "building facade skyscraper columns brick dome balcony staircase arches cathedral renovation",
    "photography": "lens shutter tripod exposure camera aperture portrait darkroom zoom pixels flash negatives",
    "politics": "senator election parliament ballot candidate minister democrat republican legislature voters campaign",
}
_FUNCTION_WORDS = (
    "the of and to in a is that for it with as was on be by this are at from or an have not which but has had were "
    "their been one they all we can there would what so if about who when more no other will some into could than"
)
_CONSONANTS, _VOWELS = "bdfgklmnprstvz", "aeiou"


@dataclass(frozen=True)
class Model:
    """Words by id: function words, real words, then made-up ones; topics are distributions over ids."""

    random_state: int = 0

    @cached_property
    def known(self) -> dict[str, list[str]]:
        """A word that two topics share belongs to the first."""
        taken: set[str] = set()
        own: dict[str, list[str]] = {}
        for name, words in TOPICS.items():
            own[name] = [word for word in words.split() if word not in taken]
            taken.update(own[name])
        return own

    @cached_property
    def words(self) -> np.ndarray:
        """Every word by its id."""
        real = [*_FUNCTION_WORDS.split(), *itertools.chain.from_iterable(self.known.values())]
        parts = [consonant + vowel for consonant in _CONSONANTS for vowel in _VOWELS]
        made_up = ("".join(word) for length in (3, 4) for word in itertools.product(parts, repeat=length))
        chosen = list(itertools.islice((word for word in made_up if word not in set(real)), 2 * N_WORDS))
        order = np.random.default_rng([self.random_state, 1]).permutation(len(chosen))[: N_WORDS - len(real)]
        return np.array([*real, *(chosen[each] for each in order)], dtype=object)

    @cached_property
    def background(self) -> np.ndarray:
        """Cumulative probabilities by Zipf's law, without the topics' words."""
        chances = 1.0 / np.arange(2.7, N_WORDS + 2.7)
        chances[self.first_known : self.first_common] = 0
        return np.cumsum(chances) / chances.sum()

    @property
    def first_known(self) -> int:
        return len(_FUNCTION_WORDS.split())

    @cached_property
    def first_common(self) -> int:
        """The first id after the topics' words."""
        return self.first_known + sum(map(len, self.known.values())) + len(TOPICS) * OWN_WORDS

    @cached_property
    def topics(self) -> tuple[np.ndarray, np.ndarray]:
        """The ids of each topic's words, and their cumulative probabilities; (n_topics, OWN_WORDS)."""
        ids, first = [], self.first_known
        made_up = self.first_known + sum(map(len, self.known.values()))
        for words in self.known.values():
            own = np.arange(made_up, made_up + OWN_WORDS)
            # Real words are spread over the first ranks, so that the most frequent words are made up.
            own[3 : 3 + 4 * len(words) : 4] = np.arange(first, first + len(words))
            ids.append(own)
            first, made_up = first + len(words), made_up + OWN_WORDS
        chances = np.cumsum(1.0 / np.arange(10.0, OWN_WORDS + 10.0))
        return np.array(ids), chances / chances[-1]

    def batch(self, number: int, size: int) -> tuple[list[str], np.ndarray]:
        """Some documents, and the topic of each."""
        chance = np.random.default_rng([self.random_state, 2, number])
        # Drawn for a whole batch and then truncated, so that a shorter corpus is the beginning of a longer one.
        labels = chance.integers(len(TOPICS), size=BATCH)
        lengths = chance.integers(SHORTEST, LONGEST + 1, size=BATCH)
        ends = np.cumsum(lengths)
        of_topic = np.repeat(labels, lengths)
        ids, chances = self.topics
        topical = ids[of_topic, np.searchsorted(chances, chance.random(ends[-1]))]
        common = np.searchsorted(self.background, chance.random(ends[-1]))
        words = self.words[np.where(chance.random(ends[-1]) < TOPICAL, topical, common)].tolist()
        starts = ends - lengths
        texts = [" ".join(words[first:last]) for first, last in zip(starts.tolist(), ends.tolist(), strict=True)]
        return texts[:size], labels[:size]

    def lines(self, first: int, last: int) -> Iterator[str]:
        """Documents `first` to `last` as JSON lines; both are multiples of a batch, or the end."""
        names = list(TOPICS)
        for number in range(first // BATCH, -(-last // BATCH)):
            texts, labels = self.batch(number, min(BATCH, last - number * BATCH))
            for text, label in zip(texts, labels.tolist(), strict=True):
                yield f'{{"text": "{text}.", "label": "{names[label]}"}}\n'


def write(folder: Path, documents: int, random_state: int = 0) -> None:
    """Files of JSON lines with labels, and the names."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "seeds.txt").write_text("\n".join(TOPICS) + "\n", encoding="utf-8")
    bounds = [*range(0, documents, FILE), documents]
    with ProcessPoolExecutor() as pool:
        jobs = [pool.submit(_write_file, folder, *part, random_state) for part in itertools.pairwise(bounds)]
        for job in jobs:
            job.result()


def _write_file(folder: Path, first: int, last: int, random_state: int) -> None:
    path = folder / f"part-{first // FILE:05d}.jsonl"
    beside = path.with_suffix(".part")
    with beside.open("w", encoding="utf-8") as file:
        file.writelines(Model(random_state).lines(first, last))
    beside.replace(path)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--documents", type=int, default=10_000_000)
    parser.add_argument("--random-state", type=int, default=0)
    given = parser.parse_args()
    write(given.folder, given.documents, given.random_state)
