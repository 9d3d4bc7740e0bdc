"""Which configuration does the site have, once all its files are merged as Hugo merges them?"""

import json
import tomllib
from collections.abc import Iterator
from pathlib import Path

from ingestion.errors import DocumentUnreadable, SourceError
from ingestion.hugo.casts import Values
from ingestion.yaml_values import read_yaml

MAX_FILE_BYTES = 1 << 20
ENVIRONMENT = "production"
"""Hugo's own default when it builds."""

_STEMS = ("hugo", "config")
_SUFFIXES = (".toml", ".yaml", ".yml", ".json")


def read_configuration(root: Path) -> Values:
    """All configuration of the site in `root`, keys lower-cased; empty where there is none.

    The root file comes first, `config/_default/` and `config/production/` override it key by
    key. The parts that themes and modules add decide neither addresses nor publishing.

    Raises:
        SourceError: A file is broken or too large.
    """
    merged: dict[str, object] = {}
    for file, keys in _files(root):
        _merge(merged, _nested(keys, _read(file)))
    return merged


def _files(root: Path) -> Iterator[tuple[Path, tuple[str, ...]]]:
    """Files in the order in which they override each other, with the keys they stand below."""
    names = (root / f"{stem}{suffix}" for stem in _STEMS for suffix in _SUFFIXES)
    main = next((file for file in names if file.is_file()), None)
    if main:
        yield main, ()
    for environment in ("_default", ENVIRONMENT):
        folder = root / "config" / environment
        if folder.is_dir():
            for file in sorted(folder.iterdir()):
                if file.suffix.lower() in _SUFFIXES and file.is_file():
                    keys = file.stem.lower().split(".")
                    yield file, () if keys[0] in _STEMS else tuple(keys)


def _read(file: Path) -> Values:
    try:
        if file.stat().st_size > MAX_FILE_BYTES:
            raise SourceError(f"{file} is larger than {MAX_FILE_BYTES} bytes")
        values = _parse(file.suffix.lower(), file.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise SourceError(f"{file} cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError, DocumentUnreadable) as error:
        raise SourceError(f"{file} cannot be read: {error}") from error
    if values is None:
        return {}
    if not isinstance(values, dict):
        raise SourceError(f"{file} must hold keys with values")
    return values


def _parse(suffix: str, text: str) -> object:
    if suffix == ".toml":
        return tomllib.loads(text)
    return json.loads(text) if suffix == ".json" else read_yaml(text)


def _nested(keys: tuple[str, ...], values: Values) -> Values:
    for key in reversed(keys):
        values = {key: values}
    return values


def _merge(into: dict[str, object], values: Values) -> None:
    for name, value in values.items():
        key = name.lower()
        present = into.get(key)
        if isinstance(value, dict):
            table = present if isinstance(present, dict) else {}
            _merge(table, value)
            into[key] = table
        else:
            into[key] = _lowered(value)


def _lowered(value: object) -> object:
    if isinstance(value, list):
        return [_lowered(item) for item in value]
    if isinstance(value, dict):
        table: dict[str, object] = {}
        _merge(table, value)
        return table
    return value
