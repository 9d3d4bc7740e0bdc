"""In which language is a question asked, and so answered?"""

import re
import threading
from collections.abc import Sequence
from functools import cache
from typing import Protocol

from service.notices import LANGUAGES

_NAMES = {
    "ar": "Arabic", "bg": "Bulgarian", "ca": "Catalan", "cs": "Czech", "da": "Danish",
    "de": "German", "el": "Greek", "en": "English", "es": "Spanish", "et": "Estonian",
    "eu": "Basque", "fa": "Persian", "fi": "Finnish", "fr": "French", "gl": "Galician",
    "he": "Hebrew", "hi": "Hindi", "hr": "Croatian", "hu": "Hungarian", "id": "Indonesian",
    "is": "Icelandic", "it": "Italian", "ja": "Japanese", "ko": "Korean", "lt": "Lithuanian",
    "lv": "Latvian", "nb": "Norwegian", "nl": "Dutch", "nn": "Norwegian Nynorsk",
    "no": "Norwegian", "pl": "Polish", "pt": "Portuguese", "pt-br": "Brazilian Portuguese",
    "ro": "Romanian", "ru": "Russian", "sk": "Slovak", "sl": "Slovenian", "sr": "Serbian",
    "sv": "Swedish", "th": "Thai", "tr": "Turkish", "uk": "Ukrainian", "vi": "Vietnamese",
    "zh": "Chinese", "zh-cn": "Simplified Chinese", "zh-tw": "Traditional Chinese",
}  # fmt: skip
_SAME = {"nb": "no", "nn": "no", "yue": "zh", "wuu": "zh"}
_CODE = re.compile(r"[a-z]{2,3}(?:-[a-z0-9]{2,8})*\Z")
MAX_CODE_CHARS = 35
_MAX_CHARS = 2000
# Probabilities of py3langid, which lowers them for short texts by itself.
_SURE = 0.3
_SURE_OF_OTHER = 0.6
_HINT = 0.05
# An answer is judged from so many bytes of UTF-8 on: fewer letters where a script says more each.
_MIN_ANSWER_BYTES = 100
_SURE_OF_ANSWER = 0.9
_lock = threading.Lock()


class _Identifier(Protocol):
    def rank(self, text: str) -> list[tuple[str, float]]: ...


def is_language_code(code: str) -> bool:
    """Whether it has the form of a code such as `en` or `pt-BR`."""
    return len(code) <= MAX_CODE_CHARS and _CODE.match(code.lower()) is not None


def language_name(code: str) -> str:
    """English name of a language, for the prompt; the code where it has none here."""
    lowered = code.lower()
    name = _NAMES.get(lowered) or _NAMES.get(lowered.split("-", 1)[0])
    return name or f"the language with the code {lowered}"


def answer_language(question: str, given: str | None, corpus: Sequence[str]) -> str:
    """The language to answer in.

    A corpus language wins where the text is too short to tell: `CV` is no Serbian question.

    Args:
        question: What the visitor wrote.
        given: A language the visitor asked for; it wins.
        corpus: Codes of the corpus, most documents first.

    Returns:
        A code of the corpus where it has the language, such as `pt-br` for Portuguese.
    """
    if given:
        return _as_in_corpus(given.lower(), corpus)
    spoken = {_primary(code) for code in corpus if code}
    ranked = [(_SAME.get(code, code), share) for code, share in _rank(question[:_MAX_CHARS])]
    likely, share = max(ranked, key=lambda pair: pair[1])
    if share >= (_SURE if likely in spoken | LANGUAGES else _SURE_OF_OTHER):
        return _as_in_corpus(likely, corpus)
    usual = next((code for code in corpus if code), "en")
    shares = dict(ranked)
    least = max(_HINT, 2 * shares.get(_primary(usual), 0.0))
    hints = [(share, code) for code, share in ranked if code in spoken and share >= least]
    return _as_in_corpus(max(hints)[1], corpus) if hints else usual


def is_in_other_language(prose: str, wanted: str) -> bool:
    """Whether an answer is clearly not in the language that was named in its prompt.

    Args:
        prose: Its sentences, without code; few of them are not judged.
        wanted: Code of a language; one that the detector does not know is not judged.
    """
    if len(prose.encode("utf-8", "replace")) < _MIN_ANSWER_BYTES:
        return False
    ranked = [(_SAME.get(code, code), share) for code, share in _rank(prose[:_MAX_CHARS])]
    likely, share = max(ranked, key=lambda pair: pair[1])
    expected = _primary(wanted.lower())
    is_known = any(code == expected for code, _ in ranked)
    return is_known and likely != expected and share >= _SURE_OF_ANSWER


def _as_in_corpus(code: str, corpus: Sequence[str]) -> str:
    if code in corpus:
        return code
    return next((known for known in corpus if known and _primary(known) == _primary(code)), code)


def _primary(code: str) -> str:
    primary = code.split("-", 1)[0]
    return _SAME.get(primary, primary)


def _rank(text: str) -> list[tuple[str, float]]:
    with _lock:
        return _identifier().rank(text)


@cache
def _identifier() -> _Identifier:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    identifier: _Identifier = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    return identifier
