"""Better names: look before the work, accept and reject terms, change names, and compare."""

# %% Every second article is indexed, the others are to judge by: by the newspaper's sections.
from sklearn.metrics import f1_score

from seetopic import Index, SeeTopic, check
from seetopic.corpus import demo_documents

SECTIONS = ["entertainment", "business", "politics", "sports", "tech"]
articles = sorted(demo_documents().source.glob("*/*.txt"))
texts = [path.read_text(encoding="utf-8", errors="replace") for path in articles]
truth = [SECTIONS.index(path.parent.name) for path in articles]
index = Index.build(texts[::2], "news-index")

# %% Words that mean more than one thing. Do they occur, what is near them?
names = ["stars", "numbers", "parties", "games", "networks"]
seen = check(index, names)
for each in seen.names:
    near = ", ".join(term for term, _ in each.nearest)
    print(f"{each.name:8} {each.occurrences:3} times; near to it: {near}")
print("close to each other:", seen.close or "none")


# %% Topic i is name i, which stands for section i. How well are the other articles sorted?
def judged(model: SeeTopic) -> str:
    found = model.predict(texts[1::2])
    each = f1_score(truth[1::2], found, average=None, labels=range(len(SECTIONS)))
    shown = ", ".join(f"{section} {value:.2f}" for section, value in zip(SECTIONS, each, strict=True))
    return f"macro-F1 {each.mean():.2f} ({shown})"


model = SeeTopic(names).fit(index)
print(model.topics_)
print("names with two meanings:", judged(model))

# %% These "games" are played on a console. Say so; each line gives a new model, in about a second.
better = model.reject("games", ["gaming", "console"]).accept("games", ["football"])
better = better.reject("stars", "won").accept("numbers", ["company", "shares"])
print(better.topics_)
print("terms accepted and rejected:", judged(better))

# %% Or say what you mean in the first place.
names = ["film and music", "companies and the economy", "politics", "sports", "computers and phones"]
clear = better.with_seeds(names)
print(clear.topics_)
print("names with one meaning:", judged(clear))

# %% Keep it. Loaded again it gives the same, to the last bit.
clear.save("news-model")
again = SeeTopic.load("news-model")
same = again.transform(texts[1::2]) == clear.transform(texts[1::2])
print("the same after loading:", same.all())
