"""The words of the page with the form, in a few languages; English for the others."""

from dataclasses import dataclass

from service.notices import LANGUAGES


@dataclass(frozen=True, slots=True)
class Labels:
    """What stands on the page."""

    title: str
    title_of: str
    question: str
    ask: str
    answer: str
    sources: str
    privacy: str
    keep: str
    keep_not: str
    receipt: str
    wrong: str


_BY_LANGUAGE = {
    "en": Labels(
        "Ask this site",
        "Ask the site of {owner}",
        "Your question",
        "Ask",
        "Answer",
        "Sources",
        "Privacy",
        "Keep my question, with e-mail addresses and phone numbers masked",
        "Do not keep my question",
        "Receipt that erases your question: {receipt}",
        "This question cannot be answered: {reason}",
    ),
    "es": Labels(
        "Pregunte a este sitio",
        "Pregunte al sitio de {owner}",
        "Su pregunta",
        "Preguntar",
        "Respuesta",
        "Fuentes",
        "Privacidad",
        "Guardar mi pregunta, con correos y teléfonos ocultos",
        "No guardar mi pregunta",
        "Recibo que borra su pregunta: {receipt}",
        "Esta pregunta no se puede responder: {reason}",
    ),
    "de": Labels(
        "Fragen Sie diese Website",
        "Fragen Sie die Website von {owner}",
        "Ihre Frage",
        "Fragen",
        "Antwort",
        "Quellen",
        "Datenschutz",
        "Meine Frage aufbewahren, E-Mail-Adressen und Telefonnummern unkenntlich",
        "Meine Frage nicht aufbewahren",
        "Beleg, der Ihre Frage löscht: {receipt}",
        "Diese Frage kann nicht beantwortet werden: {reason}",
    ),
}
_MAX_HEADER_CHARS = 500


def labels(language: str) -> Labels:
    """The words of a language code; English where there are none."""
    return _BY_LANGUAGE.get(language.split("-", 1)[0], _BY_LANGUAGE["en"])


def page_language(accepted: str) -> str:
    """The first language of an Accept-Language header that the service speaks, else `en`."""
    for part in accepted[:_MAX_HEADER_CHARS].split(","):
        code = part.partition(";")[0].strip().lower().split("-", 1)[0]
        if code in LANGUAGES:
            return code
    return "en"
