"""Sorting documents without labels, and how right it is: by labels that were kept aside."""

# %% Every second article is indexed, the others are to judge by: by the newspaper's sections.
import pandas
from sklearn.metrics import classification_report

from seetopic import Index, SeeTopic, evaluate
from seetopic.corpus import demo_documents

SECTIONS = {
    "entertainment": "arts and entertainment",
    "business": "business and finance",
    "politics": "government and politics",
    "sports": "sports and athletics",
    "tech": "science and technology",
}
articles = sorted(demo_documents().source.glob("*/*.txt"))
texts = [path.read_text(encoding="utf-8", errors="replace") for path in articles]
sections = [SECTIONS[path.parent.name] for path in articles]
index = Index.build(texts[::2], "news-index")
held_out = pandas.DataFrame({"text": texts[1::2], "section": sections[1::2]})

# %% One category for each article; -1 would be none.
names = list(SECTIONS.values())
model = SeeTopic(names).fit(index)
found = [names[number] if number >= 0 else "none" for number in model.predict(held_out)]
print(classification_report(held_out["section"], found, digits=3, zero_division=0))

# %% Leave out what is unclear: fewer articles, surer answers.
shares = model.transform(held_out)
best = [names[number] for number in shares.argmax(axis=1)]
right = held_out["section"].to_numpy() == best
for least in (0.0, 0.4, 0.6, 0.8):
    clear = shares.max(axis=1) >= least
    print(f"share >= {least}: {clear.mean():.0%} of the articles, {right[clear].mean():.1%} right")

# %% What speaks for an article's category?
info = model.get_document_info(held_out.head(3))
print(info[["Name", "Probability", "Evidence"]].to_string())

# %% The terms themselves, on the same articles, beside random words that are as frequent.
judged = evaluate(model.topics_, held_out, label_field="section", sorter=model.sorter_)
for figure in ("label_precision@10", "label_f1@10", "macro_f1"):
    print(f"{figure:20} {judged.figures[figure]:.3f}")
for figure in ("npmi_unsmoothed", "c_v"):
    print(f"{figure:20} {judged.figures[figure]:.3f}, of random words {judged.control[figure]:.3f}")
