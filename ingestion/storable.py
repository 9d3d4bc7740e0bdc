"""What may stand in a generation's text?

No character that a file, a program in C or a terminal stops at: such a one is in no reader's view
of the page either.
"""

from dataclasses import replace

from retrieval.types import Document

_NEVER_STORED = str.maketrans(dict.fromkeys("\0\ufeff", ""))


def storable_text(text: str) -> str:
    """`text` without NUL and byte order marks; lone surrogates become question marks."""
    if text.isascii():
        return text.replace("\0", "")
    return text.encode("utf-8", "replace").decode("utf-8").translate(_NEVER_STORED)


def storable(document: Document) -> Document:
    """`document` with every text that a reader sees, or that leads to it, storable."""
    return replace(
        document,
        title=storable_text(document.title),
        sections=tuple(
            replace(
                section,
                headings=tuple(storable_text(heading) for heading in section.headings),
                anchor=storable_text(section.anchor),
                text=storable_text(section.text),
            )
            for section in document.sections
        ),
    )
