import json

import pytest

from retrieval.terminal import shown, shown_json


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("plain\ttext\nnext — é 日本", "plain\ttext\nnext — é 日本"),
        ("\x1b[31mred", r"\x1b[31mred"),
        ("\x9b2J", r"\x9b2J"),
        ("a\r\x07b", r"a\r\x07b"),
        ("txt\u202egpj", r"txt\u202egpj"),
    ],
)
def test_commands_to_a_terminal_are_written_out(text: str, seen: str) -> None:
    assert shown(text) == seen


def test_json_keeps_its_value_and_holds_no_command() -> None:
    value = {"na\u202eme": "\x1b[31m\x9b\x7f é\n"}
    document = shown_json(json.dumps(value, ensure_ascii=False, indent=1))
    assert json.loads(document) == value
    assert not set(document) & set("\x1b\x9b\x7f\u202e")
