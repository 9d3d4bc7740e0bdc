"""`askfolio export`: the current generation as a text file."""

from dataclasses import dataclass
from pathlib import Path

from ingestion.durable_files import replace_file
from retrieval.configuration import Configuration
from retrieval.errors import ConfigurationError
from retrieval.export.files import ExportName, export
from retrieval.generation import open_generation


@dataclass(frozen=True, slots=True)
class ExportedText:
    """What was exported.

    Attributes:
        name: Which file.
        generation: From which generation.
        content: The file.
    """

    name: ExportName
    generation: str
    content: str

    def to_json(self, out: Path | None) -> dict[str, object]:
        """The object that `--json` prints; `text` only where it was written to no file."""
        size = len(self.content.encode())
        printed: dict[str, object] = {"name": self.name, "generation": self.generation}
        printed |= {"bytes": size, "out": None if out is None else str(out)}
        return printed if out is not None else printed | {"text": self.content}


def exported(configuration: Configuration, name: ExportName) -> ExportedText:
    """The current generation as the file `name`.

    Raises:
        GenerationError: Nothing was synced yet, or it cannot be read.
    """
    generation = open_generation(configuration.knowledge_path)
    try:
        content = "".join(export(name, generation.store, configuration))
        return ExportedText(name, generation.folder.name, content)
    finally:
        generation.close()


def write_out(file: Path, content: str) -> None:
    """Write `file` whole or not at all; a device or a pipe is written to as it is.

    Raises:
        ConfigurationError: It cannot be written.
    """
    try:
        if file.exists() and not file.is_file():
            file.write_text(content, encoding="utf-8")
        else:
            replace_file(file, content)
    except OSError as error:
        raise ConfigurationError(f"--out {file} cannot be written: {error.strerror}") from error
