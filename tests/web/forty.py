"""A made-up corpus about forty things, with words that are also parts of JavaScript."""

from __future__ import annotations

import random

WORDS = {
    "football": "striker goalkeeper referee penalty midfielder",
    "tennis": "racket serve wimbledon volley backhand",
    "cycling": "bicycle saddle peloton pedal velodrome",
    "swimming": "pool swimmer freestyle breaststroke goggles",
    "cooking": "recipe oven frying chef saucepan",
    "baking": "bread flour dough yeast pastry",
    "wine": "vineyard grape cellar cork sommelier",
    "coffee": "espresso barista beans roast latte",
    "astronomy": "telescope galaxy comet nebula planet",
    "weather": "rain thunderstorm forecast cloud humidity",
    "gardening": "soil seedling compost pruning flowerbed",
    "farming": "tractor harvest wheat barn livestock",
    "fishing": "trout angler bait hook trawler",
    "dogs": "puppy leash kennel bark terrier",
    "cats": "kitten whiskers purr feline litter",
    "horses": "stable gallop jockey mare bridle",
    "birds": "feather nest sparrow migration beak",
    "medicine": "doctor hospital surgery diagnosis patient",
    "dentistry": "tooth dentist cavity enamel molar",
    "psychology": "anxiety therapy behaviour emotion cognition",
    "school": "teacher classroom pupil homework lesson",
    "university": "professor lecture campus degree thesis",
    "law": "judge court lawyer verdict defendant",
    "police": "officer arrest detective suspect patrol",
    "politics": "parliament minister election vote coalition",
    "military": "soldier army battalion general tank",
    "banking": "loan mortgage deposit interest account",
    "taxes": "income deduction revenue refund levy",
    "music": "orchestra melody guitar singer concert",
    "painting": "canvas brush portrait gallery watercolour",
    "theatre": "actor stage rehearsal curtain playwright",
    "cinema": "film director screenplay actress premiere",
    "books": "novel author chapter publisher paperback",
    "railways": "train locomotive station track conductor",
    "aviation": "aircraft pilot runway airline cockpit",
    "cars": "engine driver wheel brake garage",
    "ships": "sailor harbour anchor captain deck",
    "programming": "constructor prototype compiler variable tostring",
    "chess": "bishop checkmate pawn rook grandmaster",
    "fashion": "dress designer fabric runway skirt",
}
NAMES = list(WORDS)
_FILLER = ["people", "time", "place", "thing", "story", "morning", "reason", "number", "letter", "window"]


def forty_documents(each: int = 9) -> list[str]:
    """Documents of one thing each, which use its name and four of its words among others."""
    chance = random.Random(0)
    documents = []
    for number in range(each * len(NAMES)):
        name = NAMES[number % len(NAMES)]
        chosen = [name, *chance.sample(WORDS[name].split(" "), 4), *chance.sample(_FILLER, 2), "the", "of"]
        chance.shuffle(chosen)
        documents.append(", ".join(chosen) + ".")
    return documents
