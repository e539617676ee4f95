"""The function words of languages, from the lists of the package stop-words."""

from __future__ import annotations

import unicodedata
from functools import cache

import regex

from seetopic.words import CONNECTORS, FUNCTION_WORDS

# Words of the package's lists that say something by themselves, or begin names ("primer ministro").
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
# And words of closed classes that they lack.
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
# Of them, those that hold names together, as CONNECTORS do in English.
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
_OFTEN_WITHOUT_ACCENTS = ("es", "fr", "it", "pt")  # as people write them in short messages
_SCRIPTS = {"ru": "Cyrillic"}  # of the others: Latin


@cache
def function_words(language: str) -> frozenset[str]:
    """The words of a language that only hold sentences together, as the tokenizer spells them."""
    if language == "en":
        return FUNCTION_WORDS
    from stop_words import get_stop_words

    # Some lists hold words of other scripts, numbers, or pieces of words.
    whole = regex.compile(rf"[\p{{{_SCRIPTS.get(language, 'Latin')}}}\p{{M}}]+")
    listed = [unicodedata.normalize("NFC", word).strip("'’\"").lower() for word in get_stop_words(language)]
    words = {word for word in listed if whole.fullmatch(word)}
    words -= set(_NO_FUNCTION_WORDS.get(language, "").split())
    words |= set(_MORE_FUNCTION_WORDS.get(language, "").split())
    if language in _OFTEN_WITHOUT_ACCENTS:
        words |= {_without_accents(word) for word in words}
    return frozenset(words)


def connectors(language: str) -> frozenset[str]:
    """Function words that may stand inside a name; none are known of most languages."""
    return CONNECTORS if language == "en" else frozenset(_JOINING.get(language, "").split())


def _without_accents(word: str) -> str:
    return "".join(letter for letter in unicodedata.normalize("NFD", word) if not unicodedata.combining(letter))
