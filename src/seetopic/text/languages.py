"""The languages of documents, whose function words are excluded from the terms, and text without spaces."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
import regex

from seetopic.runtime import Flags, Longs
from seetopic.settings import LANGUAGES
from seetopic.text.tokenizer import CONNECTORS, ENGLISH, FUNCTION_WORDS, NO_GRAMMAR, Grammar

if TYPE_CHECKING:
    from scipy.sparse import csr_array

# Words in the lists of `stop_words` that mean something by themselves, or begin names ("primer ministro").
_NO_FUNCTION_WORDS = {
    "de": "weg",
    "es": """
        afirmó agregó amén añadió aseguró buen buena buenas bueno buenos cabo comentó conocer conseguimos conseguir
        considera consideró consigue consiguen consigues cosas cuenta diferente diferentes ejemplo empleais emplean
        emplear empleas empleo encuentra estado estados existe existen explicó expresó fin fuerza gran grandes indicó
        informó intenta intentais intentamos intentan intentar intentas intento lado largo llegó lugar manifestó mayor
        mejor mencionó momento nueva nuevas nuevo nuevos parte partir pasada pasado pesar poder posible primer primera
        primero primeros próximo próximos realizado realizar realizó segunda segundo sentid sentida sentidas sentido
        sentidos sentir señaló siente siguiente sintiendo tercera tiempo total trabaja trabajais trabajamos trabajan
        trabajar trabajas trabajo trata ultimar última últimas ultimo último últimos usa usais usamos usan usar usas
        uso valor verdad verdadera verdadero""",
    "fr": """
        attendu bon chose choses début dos droite essai état force grande haut mine mot nom nommé nommée nommés
        nouveau nouveaux parole passé personne personnes pièce plein point rez sujet touchant valeur voie""",
    "it": """
        buono comprare consecutivi consecutivo doppio faccia fine gente gran grande lavoro lungo maggior maggiore
        meglio nome nuovi nuovo peggio persone primo promesso quarto quinto terzo triplo ultimo volte""",
    "nl": "wezen",
    "pt": """
        apontar bom caminho cara comprido conhecido corrente desligado direita estado fim horas iniciar inicio ligado
        maioria maiorias nome novo parte pegar povo quieto saber tempo tentar tentaram tente tentei tipo trabalhar
        trabalho último usa usar valor verdade verdadeiro viaúltimo""",
    "pl": "dr godz hab inż kierunku lat mgr nowe pan pana pani prof roku sposób tel ul vol www zł",
    "ru": """
        алло важная важное важные важный времени время год года году дел день жизнь занят занята занято заняты имя лет
        люди меля миллионов мира многочисленная многочисленное многочисленные многочисленный можхо мор нх прекрасно
        процентов сеаой спасибо суть тысяч человек""",
    "sv": """
        adjö beslut beslutat beslutit bra bäst bättre dag dagar dagarna dagen del delen enkel enkelt enkla fin första
        god goda godare godast gott hög höger högre högst kr lilla likställd likställda liten litet långsam
        långsammare långsammast långsamt lätt lättare lättast möjlig möjligt nummer nödvändig nödvändiga nödvändigt
        rätt små stor stora stort större störst sämre sämst tack tidig tidigare tidigast tidigt ursäkt viktig
        viktigare viktigast viktigt vänster vänstra värre""",
}
# Function words that those lists lack.
_MORE_FUNCTION_WORDS = {
    "de": """
        ab außer bald beide beiden beim bereits bzw dabei dafür dagegen danach daran darauf darf darin darüber davon
        denen deren desto dürfen eben eher etwa fast ganz gar gegenüber hätte hätten immer innerhalb je jedoch kaum
        keines könnten laut mag mal mehr möchte möchten nie oft per schon seit seitdem sogar sollten sowohl statt
        trotz viele vielen vieler wäre wären wegen wenig wenige weniger worden wurde wurden zudem zwei drei""",
    "es": "aquella aquello cuál cuáles cuándo cuánto dónde mí quiénes ninguna sea tras vos unos d l q rt",
    "fr": """
        afin ainsi assez auquel aussitôt autant auxquels beaucoup celle celles celui certain certaine certaines
        certains cependant chacun chacune combien déjà desquels devra doivent duquel eh guère hui jamais laquelle
        lequel lesquelles lesquels lorsque lorsqu moindre néanmoins nôtre nul nulle parfois peuvent plutôt pourtant
        pourra pourrait presque puisque puisqu quant quelque quelques quelqu quoi quoique rien sinon sitôt souvent
        surtout telle telles toujours toute va vais vont vraiment jusqu aujourd""",
    "it": """
        alcuna alcune alcuni anch anzi certo ciascuna ciascuno ciò cioè circa così ebbene essa esse essi esso forse
        già infatti inoltre mentre nemmeno nessun nessuna nessuno né neanche neppure niente nulla oppure ovvero perciò
        possiamo possono potrebbe proprio può purtroppo quando quegli quei quel quell quest quindi saranno sia sicché
        stata state tali tuttavia un vengono viene vorrei""",
    "nl": """
        alle allen bent binnen boven buiten daarna daarom daarvoor dezelfde doet echter elk elke enkele ga gaan gaat
        hadden hebt heel hen hierbij hoewel ieder iedere jij jou jouw jullie konden kunt mag meest minder mocht moest
        moesten moeten mogen nadat nooit ofwel onze ooit reeds sinds soms sommige steeds ten ter terwijl tijdens
        totdat tussen vanaf vaak vele via volgens voordat waar waardoor waarin waarmee waarom waarop wanneer weer
        weinig welke werden wilde wilden willen zeer zoals zodat zouden zullen""",
    "pt": """
        ainda algo alguém algum alguma algumas aonde apenas assim cuja cujas cujo cujos daí dali daquela daquele dessa
        desse desta deste disso disto hoje lá logo muita muitas nada nenhum nenhuma nessa nesse nesta neste ninguém
        nisso nunca onde ora outra outras outros pois podem porém porquê pouca pouco poucos pro quais quanto quase
        sempre sim talvez tanta tanto toda todas todo tudo tão uns vai vão vamos várias vários vou""",
}
# Function words that connect the words of a name, like CONNECTORS in English.
_JOINING = {
    "de": "der die das den dem des von vom zu zum zur im in am an auf für mit und bei beim über unter aus ohne",
    "es": "de del la el las los y e o en a al para con sin por",
    "fr": "de du des d la le les l à au aux en et ou pour sur sans par dans",
    "it": """
        di del dello della dei degli delle dell d da dal dalla dai e ed o a ad al allo alla ai agli alle all in nel
        nello nella nei nelle con per su sul sulla senza il lo la i gli le""",
    "nl": "van de der den het en of in op te ten ter voor met aan bij zonder",
    "pt": "de do da dos das e ou a o os as ao à aos às em no na nos nas para por pelo pela com sem",
}
_OFTEN_WITHOUT_ACCENTS = ("es", "fr", "it", "pt")  # in short messages
_SCRIPTS = {"ru": "Cyrillic"}  # all others: Latin


@cache
def function_words(language: str) -> frozenset[str]:
    """The function words of a language, as the tokenizer spells them."""
    if language == "en":
        return FUNCTION_WORDS
    from stop_words import get_stop_words

    # Some lists contain words in other scripts, numbers or fragments of words.
    whole = regex.compile(rf"[\p{{{_SCRIPTS.get(language, 'Latin')}}}\p{{M}}]+")
    listed = [unicodedata.normalize("NFC", word).strip("'’\"").lower() for word in get_stop_words(language)]
    words = {word for word in listed if whole.fullmatch(word)}
    words -= set(_NO_FUNCTION_WORDS.get(language, "").split())
    words |= set(_MORE_FUNCTION_WORDS.get(language, "").split())
    if language in _OFTEN_WITHOUT_ACCENTS:
        words |= {_without_accents(word) for word in words}
    return frozenset(words)


def connectors(language: str) -> frozenset[str]:
    """Function words that may occur inside a name; none are known for most languages."""
    return CONNECTORS if language == "en" else frozenset(_JOINING.get(language, "").split())


def _without_accents(word: str) -> str:
    return "".join(letter for letter in unicodedata.normalize("NFD", word) if not unicodedata.combining(letter))


NOTICEABLE = 0.01  # share of the documents with a clear language from which a language counts
_EVIDENCE = 2  # function words that make a document's language clear, if no other language has as many
_CLEAR = 0.25  # share of the words in documents with a clear language from which languages are reported
_MUCH = 0.05  # share of letters in scripts without spaces from which there is a warning
_LETTERS = regex.compile(r"[\p{L}\p{M}]")


@dataclass(frozen=True)
class _Script:
    """Scripts without spaces between words."""

    languages: str
    letters: regex.Pattern[str]
    longest: float  # mean letters of a word, including marks; above it, words are several in one


_WITHOUT_SPACES = (
    _Script("Chinese or Japanese", regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}ー]"), 4.0),  # well segmented: 2
    _Script("Thai, Khmer, Lao or Burmese", regex.compile(r"[\p{Thai}\p{Khmer}\p{Lao}\p{Myanmar}]"), 10.0),  # 4
)


@dataclass(frozen=True)
class Languages:
    """The languages of a corpus, and its function words."""

    shares: dict[str, float]  # of the documents with a clear language, in descending order
    grammar: Grammar
    detected: dict[str, float]  # the same shares, whatever was requested; empty if too little of the text is clear


def languages_of(words: Sequence[str], sample: csr_array, asked: tuple[str, ...] | None) -> Languages:
    """Languages detected in a sample of documents, or those requested; `sample` counts words, (n_documents, n_words).

    A function word of one language may mean something in another ("son", "war", "die"). It is excluded unless most of
    the documents with a clear language that contain it are in such other languages.
    """
    spelled, counts = _in_lower_case(words, sample)
    listed = _listed(spelled, LANGUAGES)
    language = _clear_language(counts, listed)
    detected = _detected(counts, language)
    if asked == ():
        return Languages({}, NO_GRAMMAR, detected)
    candidates: Sequence[str] = LANGUAGES
    if asked is not None:
        candidates, listed = asked, _listed(spelled, asked)
        language = _clear_language(counts, listed)
    shares = np.bincount(language[language >= 0], minlength=len(candidates)) / max(int((language >= 0).sum()), 1)
    used = [number for number in np.argsort(-shares, kind="stable").tolist() if asked or shares[number] >= NOTICEABLE]
    if not used:  # too little text to tell
        return Languages({"en": 0.0}, ENGLISH, detected)
    known = frozenset[str]().union(*(function_words(candidates[number]) for number in used))
    known -= {spelled[word] for word in np.flatnonzero(_says_something(counts, listed, language, used))}
    joining = frozenset[str]().union(*(connectors(candidates[number]) for number in used))
    rounded = {candidates[number]: round(float(shares[number]), 3) for number in used}
    return Languages(rounded, Grammar(known, joining), detected)


def _in_lower_case(words: Sequence[str], sample: csr_array) -> tuple[list[str], csr_array]:
    """The same counts with "Die" and "die" as one word."""
    from scipy.sparse import csr_array

    places: dict[str, int] = {}
    column = np.array([places.setdefault(word.lower(), len(places)) for word in words], np.int32)
    columns = column[sample.indices] if len(words) else sample.indices
    return list(places), csr_array((sample.data, columns, sample.indptr), shape=(sample.shape[0], len(places)))


def _listed(spelled: list[str], candidates: Sequence[str]) -> Flags:
    """Whether each word is a function word of each language; (n_words, n_languages)."""
    places = {word: place for place, word in enumerate(spelled)}
    listed = np.zeros((len(spelled), len(candidates)), np.bool_)
    for number, code in enumerate(candidates):
        listed[[places[word] for word in function_words(code) if word in places], number] = True
    return listed


def _clear_language(counts: csr_array, listed: Flags) -> Longs:
    """The language with the most function words in each document; -1 if two have as many, or there are too few."""
    evidence = counts @ listed.astype(np.float32)  # (n_documents, n_languages)
    best = evidence.max(axis=1)
    clear = (best >= _EVIDENCE) & ((evidence == best[:, None]).sum(axis=1) == 1)
    return np.where(clear, evidence.argmax(axis=1), -1)


def _detected(counts: csr_array, language: Longs) -> dict[str, float]:
    """Each language's share of the documents with a clear language, if these contain enough of the words."""
    sizes, is_clear = counts.sum(axis=1), language >= 0
    if not is_clear.any() or sizes[is_clear].sum() < _CLEAR * sizes.sum():
        return {}
    shares = np.bincount(language[is_clear], minlength=len(LANGUAGES)) / is_clear.sum()
    return {code: float(share) for code, share in zip(LANGUAGES, shares, strict=True) if share}


def _says_something(counts: csr_array, listed: Flags, language: Longs, used: Sequence[int]) -> Flags:
    """Words that occur mostly in documents of used languages in which they are not function words."""
    holds = counts.copy()
    holds.sum_duplicates()
    holds.data = np.ones_like(holds.data)
    inside = np.array([language == number for number in used], np.float32).T  # (n_documents, n_used)
    documents = holds.T @ inside  # (n_words, n_used): how many documents of each language contain each word
    own = (documents * listed[:, used]).sum(axis=1)
    found: Flags = listed[:, used].any(axis=1) & (documents.sum(axis=1) > 2 * own)
    return found


def warnings_about_spaces(words: Iterable[tuple[str, int]]) -> list[str]:
    """A warning if much of the text, given as words with their counts, has no spaces between words."""
    n_letters = 0
    found = [(0, 0)] * len(_WITHOUT_SPACES)  # letters, and words with such letters, of each script
    for word, count in words:
        n_letters += count * (len(word) if word.isascii() else len(_LETTERS.findall(word)))
        if not word.isascii():
            sizes = [len(script.letters.findall(word)) for script in _WITHOUT_SPACES]
            found = [
                (n + count * size, times + count * (size > 0)) for (n, times), size in zip(found, sizes, strict=True)
            ]
    return [
        f"{n / n_letters:.0%} of the letters are {script.languages}, written without spaces, so whole clauses became "
        "single words; put spaces between the words, or give `Index.build` a `tokenizer` that splits such text"
        for script, (n, times) in zip(_WITHOUT_SPACES, found, strict=True)
        if n >= _MUCH * max(n_letters, 1) and n > script.longest * times
    ]
