"""Make retrieval/tekken.ranks.xz from the package mistral-common (a development dependency).

    python scripts/make_tekken_ranks.py

Format of the file, xz-compressed: one line of JSON (source, pattern, count); then `count` bytes,
the length of each token; then the tokens' bytes, one behind the other. A token's position is its
rank. Vocabulary and pattern are Mistral's (Apache-2.0, named in NOTICE).
"""

import base64
import importlib.metadata
import json
import lzma
from importlib.resources import files
from pathlib import Path

SOURCE_FILE = "tekken_240911.json"
TARGET = Path(__file__).parent.parent / "retrieval" / "tekken.ranks.xz"


def ranks_file(tekken: bytes, source: str) -> bytes:
    """The compressed data file for the text of a `tekken_*.json`."""
    table = json.loads(tekken)
    config = table["config"]
    count = config["default_vocab_size"] - config["default_num_special_tokens"]
    entries = table["vocab"][:count]
    if [entry["rank"] for entry in entries] != list(range(count)):
        raise ValueError(f"{source}: the vocabulary is not in the order of its ranks")
    tokens = [base64.b64decode(entry["token_bytes"]) for entry in entries]
    header = {"source": source, "pattern": config["pattern"], "count": count}
    content = json.dumps(header).encode() + b"\n" + bytes(map(len, tokens)) + b"".join(tokens)
    return lzma.compress(content, format=lzma.FORMAT_XZ, preset=9 | lzma.PRESET_EXTREME)


def main() -> None:
    """Write the data file into the package."""
    version = importlib.metadata.version("mistral-common")
    tekken = files("mistral_common").joinpath("data", SOURCE_FILE).read_bytes()
    TARGET.write_bytes(ranks_file(tekken, f"mistral-common {version} data/{SOURCE_FILE}"))
    print(f"{TARGET.name}: {TARGET.stat().st_size} bytes")


if __name__ == "__main__":
    main()
