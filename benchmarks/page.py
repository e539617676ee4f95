"""Puts the committed results into the README and the docs: tables, sentences and figures.

    python benchmarks/page.py

Text between `<!-- NAME -->` and `<!-- end -->` is replaced; figures go to docs/figures as SVG. A test fails if a page
does not show what the results say, so no figure is typed by hand.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from statistics import fmean
from typing import Any

import costs
from costs import paragraph
from seetopic.evaluation.significance import mark

HERE = Path(__file__).parent
RESULTS, DOCS = HERE / "results", HERE.parent / "docs"
SHOWN = {
    "label_precision@10": "label precision@10",
    "label_f1@10": "label F1@10",
    "label_f1@50": "label F1@50",
    "npmi": "NPMI",
    "lcp": "LCP",
    "diversity": "diversity",
    "median_document_frequency": "median documents per term",
    "pairs_never_together": "pairs never together",
    "npmi_unsmoothed": "NPMI unsmoothed",
    "c_v": "C_V",
    "u_mass": "U_Mass",
}
Json = dict[str, Any]


def values(outcomes: list[Json], method: str, figure: str) -> list[float]:
    found = [each["figures"][figure] for each in outcomes if each["method"] == method]
    return [value for value in found if value is not None]


def methods_of(corpus: Json) -> list[str]:
    return list(dict.fromkeys(each["method"] for each in corpus["outcomes"]))


def number(value: float, figure: str) -> str:
    return f"{value:.0f}" if figure == "median_document_frequency" else f"{value:.2f}"


def main_table(corpus: Json) -> str:
    """One corpus: methods x figures, stars where significantly worse than the first method."""
    lines = ["| | " + " | ".join(SHOWN.values()) + " | s |", "|---|" + "--:|" * (len(SHOWN) + 1)]
    methods = methods_of(corpus)
    lower_is_better, neither = {"pairs_never_together"}, {"median_document_frequency"}
    for method in methods:
        cells = []
        for figure in SHOWN:
            runs, first = values(corpus["outcomes"], method, figure), values(corpus["outcomes"], methods[0], figure)
            if not runs:
                cells.append("-")
                continue
            worse = (fmean(runs) < fmean(first)) != (figure in lower_is_better)
            p = corpus["significance"].get(method, {}).get("p_over_runs", {}).get(figure)
            stars = mark(p).replace("*", "\\*") if worse and figure not in neither else ""
            cells.append(number(fmean(runs), figure) + stars)
        seconds = fmean(each["seconds"] for each in corpus["outcomes"] if each["method"] == method)
        name = f"**{method}**" if method == methods[0] else method
        lines.append(f"| {name} | " + " | ".join(cells) + f" | {seconds:.0f} |")
    controls = [each["control"] for each in corpus["outcomes"] if each["method"] == methods[0]]
    cells = []
    for figure in SHOWN:
        found = [control[figure] for control in controls if control.get(figure) is not None]
        cells.append(number(fmean(found), figure) if found else "-")
    lines.append("| *random words as frequent as the first method's terms* | " + " | ".join(cells) + " | |")
    return "\n".join(lines)


def main_tables(table: Json) -> str:
    return "\n\n".join(f"### {name}\n\n{main_table(corpus)}" for name, corpus in table["corpora"].items())


def published() -> str:
    source = json.loads((HERE / "published.json").read_text(encoding="utf-8"))
    names = list(source["corpora"])
    columns = [
        f"{name} {figure.upper() if figure != 'diversity' else 'div.'}"
        for name in names
        for figure in source["figures"]
    ]
    lines = ["| published, not measured here | " + " | ".join(columns) + " |", "|---|" + "--:|" * len(columns)]
    for method in source["corpora"][names[0]]:
        rows = [source["corpora"][name].get(method) or ["-"] * len(source["figures"]) for name in names]
        lines.append(f"| {method} | " + " | ".join(str(value) for row in rows for value in row) + " |")
    return "\n".join(lines)


def by_occurrence(table: Json) -> str:
    """Label precision of topics whose name occurs in the documents, and of other topics."""
    lines = ["| | " + " | ".join(f"{name}, occurs | never occurs" for name in table["corpora"]) + " |"]
    lines.append("|---|" + "--:|" * (2 * len(table["corpora"])))
    counts = []
    first = next(iter(table["corpora"].values()))
    for corpus in table["corpora"].values():
        topics = corpus["outcomes"][0]["topics"]
        occurring = sum(topic["in_vocabulary"] for topic in topics)
        counts += [str(occurring), str(len(topics) - occurring)]
    lines.append("| *names* | " + " | ".join(counts) + " |")
    for method in methods_of(first):
        cells = []
        for corpus in table["corpora"].values():
            for occurs in (True, False):
                found = precision_of(corpus, method, occurs)
                cells.append(f"{fmean(found):.2f}" if found else "-")
        lines.append(f"| {method} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def precision_of(corpus: Json, method: str, occurs: bool) -> list[float]:
    return [
        topic["label_precision@10"]
        for each in corpus["outcomes"]
        if each["method"] == method
        for topic in each["topics"]
        if topic["in_vocabulary"] == occurs and topic["label_precision@10"] is not None
    ]


CASES = {
    "ohsumed": "Bacterial Infections and Mycoses",
    "amazon": "health & personal care",
    "crisis": "Donations and volunteering",
    "huffpost": "queer voices",
}


def cases(table: Json) -> str:
    """Five terms for one name per corpus that never occurs, by every method."""
    blocks = []
    for name, wanted in CASES.items():
        if name not in table["corpora"]:
            continue
        lines = [f"**{wanted}** ({name})", "", "| | five best terms |", "|---|---|"]
        for each in table["corpora"][name]["outcomes"]:
            if each["random_state"] == 0:
                topic = next(topic for topic in each["topics"] if topic["name"] == wanted)
                lines.append(f"| {each['method']} | {', '.join(topic['terms'][:5]) or '(none)'} |")
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks)


def compared(table: Json) -> str:
    """The main table in words; refuses to say what the figures no longer say."""

    def mean(corpus: str, method: str, figure: str = "label_precision@10") -> float:
        return fmean(values(table["corpora"][corpus]["outcomes"], method, figure))

    for name, corpus in table["corpora"].items():
        for figure in ("label_precision@10", "label_f1@50"):
            best = max(methods_of(corpus), key=lambda method, of=(name, figure): mean(of[0], method, of[1]))
            if best != "default":
                raise SystemExit(f"{best} is ahead of default on {name} in {figure}: rewrite the text of `compared`")
    f1 = "label_f1@10"
    headlines = [each for each in table["corpora"]["huffpost"]["outcomes"] if each["method"] == "default"]
    at_random = fmean(each["control"]["c_v"] for each in headlines)
    return paragraph(
        f"""**Results.** In label precision and label F1@50, the default method is ahead of all others on all four
        corpora. The closest are `zero-shot` on crisis tweets (label F1@10 {short(mean("crisis", "zero-shot", f1))}
        compared with {short(mean("crisis", "default", f1))}, with the same words in several topics), BERTopic zero-shot
        (label precision {short(mean("crisis", "bertopic-zeroshot"))} compared with {short(mean("crisis", "default"))}
        there) and, on reviews, the paper's own presets ({short(mean("amazon", "paper"))} and
        {short(mean("amazon", "released-code"))} compared with {short(mean("amazon", "default"))}). The default lists a
        term once, together with its inflections, and a document that contains any of these counts as containing the
        term; other methods list inflections as separate terms. Others are better in the following respects:"""
    ) + (
        f"""

- *Coherence as in the paper*: CatE, Labeled ETM and the language model alone beat the default nearly everywhere, with
  terms that occur in only a few held-out documents, most pairs of which never occur together (see the columns "median
  documents per term" and "pairs never together"). Random words that are equally rare reach the same scores.
- *NPMI unsmoothed and pairs never together*: SeededLDA and Anchored CorEx are as good or better on three corpora,
  because their terms are common words; these do not indicate any category, as label precision shows.
- *C_V* on headlines ranks random words ({short(at_random)}) above every method: its windows of 110 words are longer
  than a headline.
- *Time*: `plm` and `zero-shot` need none beyond the index."""
    )


def presets(table: Json) -> str:
    """The paper's full training beside the shorter one of the main table."""
    full = {row["corpus"]: row["label_precision@10"] for row in _lines("presets.jsonl") if row["random_state"] == 0}
    here = {
        name: fmean(values(table["corpora"][name]["outcomes"], "released-code", "label_precision@10")) for name in full
    }
    return paragraph(
        f"""The presets train less here than the paper does (see [the methods](#the-methods)). The full training of
        `released-code` gives {short(full["ohsumed"])} and {short(full["amazon"])} label precision on abstracts and
        reviews, compared with {short(here["ohsumed"])} and {short(here["amazon"])} here: more training does not close
        the gap."""
    )


def parameters(studied: list[Json]) -> str:
    """Label precision by ρ and by the number of iterations."""
    shown = [("rho", "ρ", value) for value in (0.1, 0.3, 1.0)] + [("iterations", "T", value) for value in (1, 2, 4)]
    told = [
        "| label precision@10 | " + " | ".join(f"{sign} = {value}" for _, sign, value in shown) + " |",
        "|---|" + "--:|" * len(shown),
    ]
    for method, corpus in dict.fromkeys((row["method"], row["corpus"]) for row in studied):
        own = [row for row in studied if (row["method"], row["corpus"]) == (method, corpus)]
        cells = [
            next(short(row["label_precision@10"]) for row in own if row.get(name) == value) for name, _, value in shown
        ]
        told.append(f"| {method}, {corpus} | {' | '.join(cells)} |")
    return "\n".join(told)


def readers() -> str:
    """The embedded model and another one as readers of documents and names."""
    told = [
        "| | documents read by | label precision@10 / F1@10 / F1@50 | macro-F1 of `assign` | of `assign --read` "
        "| of the sample | of the sample, by cosine alone |",
        "|---|---|--:|--:|--:|--:|--:|",
    ]
    for row in _lines("readers.jsonl"):
        topics = " / ".join(short(row["topics"][figure]) for figure in QUALITY)
        sorting = " | ".join(short(value) for value in row["macro_f1"].values())
        read = f"{row['corpus']}, {row['documents read']:,} documents"
        told.append(f"| {read} | {row['reader'] or 'the embedded model'} | {topics} | {sorting} |")
    return "\n".join(told)


OTHERS = {
    "paper": "the paper's method (preset `paper`, 128 dimensions, 4 epochs per iteration)",
    "released-code": "the settings of its released code (`released-code`, trained the same way)",
    "bertopic-zeroshot": "BERTopic zero-shot",
    "cate": "CatE",
    "seeded-lda": "SeededLDA",
}


def other_methods(table: Json) -> str:
    told = ["| | " + " | ".join(CORPORA.values()) + " |", "|---|" + "---|" * len(CORPORA)]
    for method, shown in OTHERS.items():
        found = [[values(table["corpora"][name]["outcomes"], method, each) for each in QUALITY] for name in CORPORA]
        told.append(f"| {shown} | " + " | ".join(" / ".join(short(fmean(runs)) for runs in of) for of in found) + " |")
    return "\n".join(told)


def short(value: float) -> str:
    return f"{value:.2f}".removeprefix("0")


def rare_terms(found: Json) -> str:
    bounds = sorted({int(bound) for rows in found.values() for bound in rows})
    lines = ["| number of held-out documents in which each random word occurs | " + " | ".join(map(str, bounds)) + " |"]
    lines.append("|---|" + "--:|" * len(bounds))
    for name, rows in found.items():
        cells = [f"{rows[str(bound)]['npmi']:.2f}" if str(bound) in rows else "-" for bound in bounds]
        lines.append(f"| {name}, NPMI as in the paper | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def phrases() -> str:
    """Mined phrases against a parser's noun chunks: ours, gensim's best, and an oracle that knows the answers."""
    found = json.loads((RESULTS / "phrases.json").read_text(encoding="utf-8"))
    lines = [
        "| | counted as correct | precision | recall | F1 | gensim's best F1 | ratio | F1 of an oracle |",
        "|---|---|--:|--:|--:|--:|--:|--:|",
    ]
    kinds = {"noun_chunks": "chunks, entities", "without_numbers_and_values": "without numbers, dates"}
    for name, corpus in found["chunks"].items():
        for kind, shown in kinds.items():
            ours, theirs = corpus[kind]["seetopic"], corpus[kind]["gensim_best"]
            figures = [ours["precision"], ours["recall"], ours["f1"], theirs["f1"], corpus[kind]["ratio"]]
            figures.append(corpus[kind]["f1_of_one_that_knows_the_answers"])
            lines.append(f"| {name} | {shown} | " + " | ".join(f"{each:.2f}" for each in figures) + " |")
    lines += ["", "| 200 phrases, judged one by one | accepted |", "|---|--:|"]
    lines += [f"| {name.replace('_', ', ')} | {share:.1%} |" for name, share in sorted(found["accepted"].items())]
    speed, means = found["speed"], found["mean_f1"]["noun_chunks"]
    lines += [
        "",
        f"With a single threshold for all three corpora, gensim's mean F1 is {short(means['gensim_best_of_all'])} "
        f"compared with our {short(means['seetopic'])}.",
        "",
        f"Tokenising, mining and segmenting {speed['corpus']} on {speed['cores']} cores runs at "
        f"{speed['seetopic_words_a_second']:,} words per second, {speed['ratio']:.1f} times as fast as gensim's two "
        f"passes in the same run ({speed['gensim_words_a_second']:,}), and takes at most "
        f"{speed['seetopic_peak_gb']} GB of memory.",
    ]
    return "\n".join(lines)


OF_README = ("two names", "30 % of the names")
KINDS_OF_NAMES = ("names alone", "described")


def open_world(kinds: tuple[str, ...] = (*OF_README, "one name", "all names")) -> str:
    """Names that cover only part of the documents: means over draws of names and random states."""
    groups: dict[tuple[str, str], list[Json]] = {}
    for each in _lines("open_world.jsonl"):
        if each["asked_for"] in kinds:
            groups.setdefault((each["corpus"], each["asked_for"]), []).append(each)
    told = [
        "| | names | label precision@10 (language model alone) | average precision of documents (cosine with the name) "
        "| macro-F1 | documents without a category: predicted / true | calibration error |",
        "|---|---|--:|--:|--:|--:|--:|",
    ]
    for (corpus, asked_for), found in groups.items():

        def mean(*path: str, found: list[Json] = found) -> str:
            values = [_at(each, path) for each in found]
            return f"{sum(values) / len(values):.2f}"

        told.append(
            f"| {corpus} | {asked_for} | {mean('label_precision@10')} "
            f"({mean('of the language model alone', 'label_precision@10')}) "
            f"| {mean('assign --read', 'average_precision')} ({mean('cosine', 'average_precision')}) "
            f"| {mean('assign --read', 'macro_f1')} | {mean('assign --read', 'none_given')} / {mean('none_true')} "
            f"| {mean('assign --read', 'calibration_error')} |"
        )
    return "\n".join(told)


def described() -> str:
    """Two names without and with a sentence that says what each covers: means over draws of names and samples."""
    figures = {"label_precision@10": "label precision@10", "average_precision": "average precision of documents"}
    figures["macro_f1"] = "macro-F1"
    told = ["| | " + " | ".join(figures.values()) + " |", "|---|" + "--:|" * len(figures)]
    groups: dict[str, list[Json]] = {}
    for each in _lines("described.jsonl"):
        groups.setdefault(each["corpus"], []).append(each)
    for corpus, rows in groups.items():
        cells = (
            " -> ".join(f"{fmean(_at(row, (kind, figure)) for row in rows):.2f}" for kind in KINDS_OF_NAMES)
            for figure in figures
        )
        told.append(f"| {corpus} | " + " | ".join(cells) + " |")
    return "\n".join(told)


def open_world_peers() -> str:
    """Other methods with two names, and the labels of left-out names that further themes recover."""
    rows = _lines("open_world_peers.jsonl")
    two = [row for row in rows if row.get("asked_for") == "two names"]
    methods = [key for key, value in two[0].items() if isinstance(value, float)]
    told = [f"| label precision@10, two names | {' | '.join(methods)} |", "|---|" + "--:|" * len(methods)]
    for corpus in dict.fromkeys(row["corpus"] for row in two):
        own = [row for row in two if row["corpus"] == corpus]
        means = [sum(row[method] for row in own) / len(own) for method in methods]
        told.append(f"| {corpus} | {' | '.join(f'{mean:.2f}' for mean in means)} |")
    further = [row for row in rows if "left out" in row]
    told += ["", "| left-out names recovered | `suggest` | bertopic-zeroshot |", "|---|--:|--:|"]
    for corpus in dict.fromkeys(row["corpus"] for row in further):
        own = [row for row in further if row["corpus"] == corpus]
        means = [sum(row[method] for row in own) / len(own) for method in ("suggest", "bertopic-zeroshot")]
        told.append(f"| {corpus} | {' | '.join(f'{mean:.2f}' for mean in means)} |")
    return "\n".join(told)


CORPORA = {  # in the order of the README
    "ohsumed": "medical abstracts (23 names)",
    "amazon": "product reviews (14)",
    "crisis": "crisis tweets (6)",
    "huffpost": "news headlines (41)",
}
QUALITY = ("label_precision@10", "label_f1@10", "label_f1@50")


def quality() -> str:
    """Topics and sorted documents with names for all labels: means over samples of the documents."""
    rows = _lines("quality.jsonl")

    def mean(corpus: str, *path: str) -> str:
        values = [_at(row, path) for row in rows if row["corpus"] == corpus]
        return short(sum(values) / len(values))

    head = ["| | " + " | ".join(CORPORA.values()) + " |", "|---|" + "---|" * len(CORPORA)]
    topics = [
        f"| {method} | "
        + " | ".join(" / ".join(mean(corpus, "topics", method, figure) for figure in QUALITY) for corpus in CORPORA)
        + " |"
        for method in rows[0]["topics"]
    ]
    ways = [
        f"| macro-F1, {way} | " + " | ".join(mean(corpus, "macro_f1", way) for corpus in CORPORA) + " |"
        for way in rows[0]["macro_f1"]
    ]
    return "\n".join([*head, *topics, *ways])


def stability() -> str:
    """How much topics change, and with what."""
    told = [
        "| mean Jaccard similarity of the ten terms | another random state | another order | one document fewer "
        "| one unrelated name | another sample | label precision@10 over five samples | cosines of local vectors, "
        "two samples: correlation |",
        "|---|" + "--:|" * 7,
    ]
    for row in _lines("stability.jsonl"):
        draws, unrelated = row["draws"], list(row["one unrelated name"].values())
        precision = draws["label_precision@10"]
        told.append(
            f"| {row['corpus']} | {row['random states']:.2f} | {row['shuffled']:.2f} | {row['one document fewer']:.2f} "
            f"| {sum(unrelated) / len(unrelated):.2f} | {draws['likeness']:.2f} "
            f"| {min(precision):.2f} to {max(precision):.2f} | {row['local vectors']:.3f} |"
        )
    return "\n".join(told)


def _lines(name: str) -> list[Json]:
    return [json.loads(line) for line in (RESULTS / name).read_text(encoding="utf-8").splitlines()]


def _at(value: Json, path: tuple[str, ...]) -> float:
    return float(value[path[0]] if len(path) == 1 else _at(value[path[0]], path[1:]))


def filled(page: str, parts: dict[str, str]) -> str:
    for name, text in parts.items():
        pattern = rf"(<!-- {name} -->\n).*?(<!-- end -->)"
        page, found = re.subn(pattern, lambda match, text=text: f"{match[1]}{text}\n{match[2]}", page, flags=re.DOTALL)
        if found != 1:
            raise SystemExit(f"the page needs one part {name!r}, but has {found}")
    return page


def pages() -> dict[Path, dict[str, str]]:
    """What each page shows of the results, by the names of its parts."""
    table, found, studied = results()
    howto = DOCS / "howto"
    return {
        DOCS.parent / "README.md": parts_of_readme(table),
        DOCS / "benchmarks.md": parts(table, found, studied),
        DOCS / "method.md": {"confidence": confidence(), "judged": judged()},
        DOCS / "paper.md": {"training": costs.training()},
        DOCS / "report.md": {"report": costs.report()},
        DOCS / "scale.md": {
            "actual": costs.actual(),
            "scale": costs.scale(),
            "planted": costs.planted(),
            "price": costs.price(),
            "gpu": costs.gpu(),
        },
        howto / "language-model.md": {"readers": readers()},
        howto / "many-names.md": {"many names": costs.many_names()},
        howto / "part-of-the-documents.md": {
            "few names": few_names(),
            "described": described(),
            "two names": two_names_sorted(),
        },
        howto / "sorting.md": {"sorted": all_names_sorted()},
        howto / "trends.md": {"trends": costs.trends(), "simulations": costs.simulations()},
    }


def confidence() -> str:
    """How well confidence tells good topics from bad ones."""
    found = json.loads((RESULTS / "confidence.json").read_text(encoding="utf-8"))
    lines = [
        "| names | topics | bad | ranked correctly | bad ones flagged | others flagged |",
        "|---|--:|--:|--:|--:|--:|",
    ]
    kinds = {"all names": "all", "30 % of the names": "30 %", "two names": "two", "one name": "one"}
    kinds["every"] = "together"
    for kind, name in kinds.items():
        own = found[kind]
        shares = f"{own['ranked_correctly']:.2f}".lstrip("0"), f"{own['bad_flagged']:.0%}", f"{own['good_flagged']:.0%}"
        lines.append(f"| {name} | {own['topics']} | {own['bad']} | " + " | ".join(shares) + " |")
    return "\n".join(lines)


def judged() -> str:
    """Shares of terms that belong to their names, by the majority of blind judges."""
    found = json.loads((RESULTS / "judged.json").read_text(encoding="utf-8"))
    kinds = {"ohsumed": "medical abstracts", "amazon": "product reviews", "crisis": "crisis tweets"}
    kinds["huffpost"] = "news headlines"
    lines = ["| | " + " | ".join(kinds.values()) + " |", "|---|" + "--:|" * len(kinds)]
    for method, name in {"default": "default", "plm": "language model alone"}.items():
        cells = (f"{found['corpora'][corpus][method]['share']:.2f}".lstrip("0") for corpus in kinds)
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    about = (
        f"{found['terms']:,} terms, {found['judges']} judges; Fleiss' kappa is {found['fleiss_kappa']:.2f}. The table "
        "shows the share of terms that belong to the name by most judges:"
    )
    return paragraph(about) + "\n\n" + "\n".join(lines)


def parts(table: Json, found: Json, studied: list[Json]) -> dict[str, str]:
    return {
        "main table": main_tables(table),
        "compared": compared(table),
        "presets": presets(table),
        "published": published(),
        "names that occur": by_occurrence(table),
        "parameters": parameters(studied),
        "cases": cases(table),
        "rare terms": rare_terms(found),
        "phrases": phrases(),
        "open world": open_world(),
        "open world peers": open_world_peers(),
        "stability": stability(),
    }


def demo() -> str:
    """What the demo finds."""
    found = json.loads((RESULTS / "demo.json").read_text(encoding="utf-8"))
    rows = [f"| {each['name']} | {each['confidence']:.2f} | {', '.join(each['terms'])} |" for each in found]
    return "\n".join(["| category | confidence | terms, best first |", "|---|--:|---|", *rows])


def guides() -> Json:
    found: Json = json.loads((RESULTS / "guides.json").read_text(encoding="utf-8"))
    return found


def few_names() -> str:
    """The line below the topics of a few names, as `discover` prints it."""
    found = guides()["few names"]
    themes = ", ".join(f"{each['name']} ({each['share']:.0%})" for each in found["residual"])
    line = paragraph(f"The names cover {found['coverage']:.0%} of the documents. The others are about: {themes}.")
    return "\n".join(f"> {each}" for each in line.splitlines())


def two_names_sorted() -> str:
    found = guides()["two names"]
    plain, rate = found["plain"], found["at the rate"]
    return paragraph(
        f'For example, with `news-index` and the two names "government and politics" and "business and finance", '
        f"{plain['given']} of the {found['documents']:,} articles in `held-out.csv` get one, and {plain['right']} of "
        f"these are right. However, {found['of these names']} articles are from these two sections. With `--rate 0.4`, "
        f"{rate['given']} get one, and {rate['right']} of these are right. The largest share, including that of "
        f"*none*, is {found['mean largest share']:.2f} on average; it is right for {found['largest share right']:.0%} "
        "of the articles."
    )


def all_names_sorted() -> str:
    found = guides()["all names"]
    return paragraph(
        f"On these articles it is {found['macro_f1']:.2f}. Documents without a category count as missed. Shares are "
        f"cautious on documents as easy as these: the largest share is {found['mean largest share']:.2f} on average, "
        f"but it is right for {found['largest share right']:.0%}, so a `--threshold 0.5` loses correct answers, too. "
        "`--rate` depends only on the order of the shares."
    )


def parts_of_readme(table: Json) -> dict[str, str]:
    return {
        "demo": demo(),
        "speed": costs.speed(),
        "ten million": costs.ten_million(),
        "open world": open_world(OF_README),
        "workbench": costs.workbench(),
        "quality": quality(),
        "other methods": other_methods(table),
    }


def main() -> None:
    from figures import draw_all  # needs the extra [bench]; the tables do not

    for page, own in pages().items():
        page.write_text(filled(page.read_text(encoding="utf-8"), own), encoding="utf-8")
    draw_all(*results(), DOCS / "figures")


def results() -> tuple[Json, Json, list[Json]]:
    """The main table, random words by how rare they are, and the parameter study."""
    table = json.loads((RESULTS / "main_table.json").read_text(encoding="utf-8"))
    found = json.loads((RESULTS / "rare_terms.json").read_text(encoding="utf-8"))
    lines = (RESULTS / "parameters.jsonl").read_text(encoding="utf-8").splitlines()
    return table, found, [json.loads(line) for line in lines]


if __name__ == "__main__":
    main()
