"""A user's script that uses every public name; it is checked by `mypy --strict` and run by the tests."""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import seetopic
from seetopic import (
    Index,
    Judgement,
    RankedTerm,
    Residual,
    Seed,
    Seeds,
    SeeTopic,
    Sorter,
    Topic,
    Topics,
    Trends,
    as_seeds,
    assign,
    check,
    compare,
    discover,
    errors,
    evaluate,
    export,
    open_documents,
    settings,
    sorter_for,
    suggest,
    trends,
)
from seetopic.evaluation import split
from seetopic.output import Figure

TEXTS = ["The striker scored, the goalkeeper was late.", "Garlic and onion, then bake the bread."] * 8


def lengths(texts: list[str]) -> list[list[float]]:
    return [[float(text.count("o")), float(text.count("e")), 1.0] for text in texts]


def use_the_functions(folder: Path) -> None:
    version: str = seetopic.__version__
    index: Index = Index.build(TEXTS, folder / "index", embedding_model=lengths, n_jobs=1)
    index.verify()
    seeds: Seeds = as_seeds(["sports", "cooking"])
    topics: Topics = discover(index, seeds)
    topic: Topic = topics["sports"]
    first: Seed = seeds.seeds[0]
    occurs: bool = check(index, seeds).names[0].in_vocabulary
    with suppress(errors.CorpusError):  # so few texts have no themes
        suggest(index, seeds, number=2)
    ranked: RankedTerm = topic.terms[0]
    score: float = ranked.score
    topics.save(folder / "topics")
    again: Topics = Topics.load(folder / "topics")
    frame: Any = again.to_dataframe("polars")
    words: str = export(again, "quanteda", folder / "topics.yml", top=3)
    sorter: Sorter = sorter_for(index, seeds)
    sorter.save(folder / "topics")
    shares: tuple[float, ...] = sorter.assign(TEXTS)[0].shares
    given: dict[str, int] = assign(TEXTS, folder / "topics", folder / "table.csv", n_jobs=1)
    found: Trends = trends(folder / "table.csv", group="category")
    npmi: float = evaluate(topics, TEXTS, n_jobs=1).figures["npmi"]
    halves = split(open_documents(TEXTS), 0.5, settings.DEFAULT.index.random_state)
    methods: list[str] = [each.method for each in compare(halves, seeds, ["plm"]).outcomes]
    print(first.name, occurs, sum(given.values()), npmi, methods, len(found.shares))
    print(version, len(again), score > 0, len(frame) > 0, len(words) > 0, len(shares))


def use_the_estimator(folder: Path) -> None:
    model: SeeTopic = SeeTopic(["sports", "cooking"], embedding_model=lengths, min_count=1, top=3, n_jobs=1)
    model = model.set_params(threshold=0.0).fit(TEXTS)
    params: dict[str, Any] = model.get_params()
    shape: tuple[int, ...] = model.transform(TEXTS).shape
    first: int = int(model.predict(TEXTS)[0])
    probability: float = float(model.predict_proba(TEXTS)[0, list(model.classes_).index("sports")])
    names: list[str] = list(model.get_feature_names_out())
    terms: dict[int, list[tuple[str, float]]] = model.get_topics()
    best: tuple[str, float] = model.get_topic("sports")[0]
    tables: list[Any] = [model.get_topic_info(), model.get_document_info(TEXTS, library="polars")]
    tables += [model.topics_over_time(TEXTS, ["2025-06-03"] * 16), model.topics_per_class(TEXTS, ["a", "b"] * 8)]
    over_time: Trends = model.trends(TEXTS, time=["2025-06-03"] * 16)
    other: SeeTopic = model.with_seeds(["food", "football"]).accept("food", "bread").reject(1, ["garlic"])
    missed: tuple[Residual, ...] = ()
    with suppress(errors.CorpusError):  # so few texts have no themes
        missed = other.suggest(3)
    judged = Judgement("food", term="bread")
    other = other.teach([judged, {"category": "football", "document": 0, "belongs": True}]).forget(judged)
    with suppress(errors.CorpusError):  # the function that encodes these texts reads no documents
        print(len(other.ask(2)), len(list(other.teaching_report().sentences())))
    same: SeeTopic = other.partial_fit(["A late goal."])
    same.save(folder / "model")
    loaded: SeeTopic = SeeTopic.load(folder / "model", embedding_model=lengths)
    topics: Topics = loaded.topics_
    index: Index = loaded.index_
    sorter: Sorter = loaded.sorter_
    seeds: Seeds = loaded.seeds_
    drawn: list[Figure] = [
        loaded.visualize_barchart([0, "football"], top=3),
        loaded.visualize_topics(),
        loaded.visualize_documents(documents=5),
        loaded.visualize_heatmap(by="documents"),
        loaded.visualize_term_rank(log=False),
    ]
    with suppress(errors.SettingsError):  # these names have no parents
        drawn.append(loaded.visualize_hierarchy(width=600))
    drawn[0].save(folder / "terms.svg", theme="dark")
    report: Path = loaded.write_report(folder / "report")
    whole: tuple[int, ...] = loaded.set_output(transform="default").fit_transform(TEXTS).shape
    print(len(params), shape, probability, first >= -1, names, len(terms), len(best), len(tables), whole, len(missed))
    print(over_time.by, len(topics), len(index), len(sorter.names), len(seeds), len(drawn), report.name)


if __name__ == "__main__":
    use_the_functions(Path(sys.argv[1]))
    use_the_estimator(Path(sys.argv[1]))
