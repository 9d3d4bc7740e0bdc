"""What did each source say when it was last read, so that it need not read everything again?

`source_states.json` in the knowledge folder belongs to one generation, the one whose documents the
sources spoke of. Another CURRENT, after a rollback or a restored backup, makes it worthless, and
so does a file that cannot be read: then every source is read as if for the first time.
"""

import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from ingestion.durable_files import replace_file

STATES_FILE = "source_states.json"
MAX_STATES_BYTES = 64 << 20


def read_states(knowledge: Path, generation: str) -> dict[str, str]:
    """State by name of the source; empty where none was written for `generation`."""
    file = knowledge / STATES_FILE
    try:
        if not generation or file.stat().st_size > MAX_STATES_BYTES:
            return {}
        content = json.loads(file.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    if not isinstance(content, dict) or content.get("generation") != generation:
        return {}
    states = content.get("states")
    if not isinstance(states, dict):
        return {}
    return {name: state for name, state in states.items() if isinstance(state, str)}


def write_states(knowledge: Path, generation: str, states: Mapping[str, str]) -> None:
    """Replace the file, unless it says the same already.

    A disk that is full now does not undo a sync: without the file the next one reads everything.
    """
    kept = {name: state for name, state in states.items() if state}
    if read_states(knowledge, generation) == kept:
        return
    content = json.dumps({"generation": generation, "states": kept}, ensure_ascii=True)
    with suppress(OSError):
        replace_file(knowledge / STATES_FILE, f"{content}\n")
