"""HTML in code is text, HTML outside of it is not: whatever the fences around it look like."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingestion.hugo.hidden_text import HiddenText
from ingestion.hugo.raw_html import _parser, hide_raw_html

LINES = st.sampled_from(
    [
        "<div>",
        "</div>",
        "text",
        "",
        "```",
        "```html",
        "~~~",
        "   ```",
        "    ```",
        "````",
        "> ```",
        "- ```",
        "  ```",
        "<!-- x",
        "-->",
        "``` a ` b",
        "~~~ `",
    ]
)


@given(st.lists(LINES, max_size=14))
def test_no_html_block_is_missed(lines: list[str]) -> None:
    text = "\n".join(lines) + "\n"
    has_block = any(token.type == "html_block" for token in _parser().parse(text))
    without, _ = hide_raw_html(text, HiddenText(), shown=False)
    assert (without != text) == has_block


@pytest.mark.parametrize("fence", ["```", "~~~", "```html"])
def test_html_in_a_fence_stays(fence: str) -> None:
    text = f"{fence}\n<div>code</div>\n{fence[:3]}\n"
    assert hide_raw_html(text, HiddenText(), shown=False) == (text, ())
