"""From names to a dictionary: find the terms, look at them, write them for quanteda and LIWC."""

# %% Every second of the demo's articles is indexed; sorting.py judges by the others.
from pathlib import Path

from seetopic import Index, SeeTopic, export
from seetopic.corpus import NAMES, demo_documents

articles = sorted(demo_documents().source.glob("*/*.txt"))[::2]
texts = [path.read_text(encoding="utf-8", errors="replace") for path in articles]
index = Index.build(texts, "news-index")

# %% The names need not occur in the articles: no article says "sports and athletics".
model = SeeTopic(NAMES, top=30).fit(index)
print(model.topics_)

# %% Why is a term there? Its place by the language model, by its use, and by the documents.
table = model.topics_.to_dataframe()
print(table[table["rank"] <= 5].to_string(index=False))

# %% Not this one: keep a term out, and find all topics anew; about a second.
model = model.reject("science and technology", "use")

# %% For quanteda, and for LIWC. Inflections and other spellings come with each term.
export(model.topics_, "quanteda", "news.yml")
export(model.topics_, "liwc", "news.dic")
print(Path("news.yml").read_text(encoding="utf-8")[:400])
