"""The language of a README by its commonest words."""

import pytest

from ingestion.git.prose_language import prose_language
from retrieval.types import Section


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("# Frames\n\nThis tool uploads the frames of a sensor to a bucket.\n", "en"),
        ("# Rahmen\n\nDas Programm misst die Höhe und schreibt sie in eine Datei.\n", "de"),
        ("# Cadres\n\nCe programme mesure la hauteur et la note dans une table.\n", "fr"),
        ("# Marcos\n\nEl programa mide la altura y la guarda en una tabla para el río.\n", "es"),
        ("# Kaders\n\nHet programma meet de hoogte van een rivier en bewaart deze.\n", "nl"),
        ("# プログラム\n\nこれは日本語の説明です。\n", ""),
        ("# engine\n", ""),
        (
            "```sh\nfor x in the and of to is; do echo with this that; done\n```\n\nTexte libre.\n",
            "",
        ),
    ],
)
def test_language(text: str, language: str) -> None:
    assert prose_language([Section((), "", text, 1)]) == language


def test_the_letters_of_an_address_are_no_words() -> None:
    commit = "a0e1c2" * 6 + "dea9"
    assert (
        prose_language([Section((), "", f"Gauge [x](https://h.example/o/e/{commit}/a.md).")]) == ""
    )
