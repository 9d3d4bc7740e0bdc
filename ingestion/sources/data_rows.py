"""The rows of a site's data files as documents: projects, talks, publications."""

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path, PurePosixPath
from urllib.parse import quote, urlsplit

from ingestion.errors import DocumentUnreadable, SourceError, SourceMissing
from ingestion.front_matter import scalar_text
from ingestion.sources.base import Listing
from ingestion.storable import storable_text
from ingestion.yaml_values import read_yaml
from retrieval.configuration import DataRows, Site
from retrieval.types import Document, Section, Skipped, Unreadable

MAX_FILE_BYTES = 8 << 20
MAX_ROWS = 10_000
MAX_DEPTH = 8

Row = Mapping[str, object]

_PLACEHOLDER = re.compile(r"\{([A-Za-z_][\w.-]*)\}")
_READABLE = re.compile(r"[_-]+")
_IDS = ("id", "slug", "key")


def data_documents(site: Site, root: Path, base_url: str) -> Listing:
    """Every row of the configured data files as one document.

    Args:
        site: The block with its `[[site.data]]` tables.
        root: The site's folder.
        base_url: Of the site; the rows' addresses are made absolute with it.

    Raises:
        SourceMissing: A configured file is not there.
        SourceError: A configured file lies outside the site.
    """
    documents: list[Document] = []
    skipped: list[Skipped] = []
    errors: list[Unreadable] = []
    tables: set[str] = set()
    for table in site.data:
        file = _file(root, table.file)
        if file.stat().st_size > MAX_FILE_BYTES:
            skipped.append(Skipped(site.name, table.file, "too-large"))
            continue
        try:
            rows = list(_rows(_read(file)))
        except DocumentUnreadable as error:
            errors.append(Unreadable(site.name, table.file, str(error)))
            continue
        # A second table may read the same rows in another language.
        suffix = f"~{table.language or len(tables)}" if table.file in tables else ""
        tables.add(table.file)
        for row_id, row in rows:
            try:
                document = _document(site.name, table, base_url, row_id, row)
            except DocumentUnreadable as error:
                errors.append(
                    Unreadable(site.name, table.file, f"{table.file}: row {row_id} {error}")
                )
            else:
                documents.append(replace(document, doc_id=document.doc_id + suffix))
    return Listing(tuple(documents), tuple(skipped), tuple(errors))


def _file(root: Path, name: str) -> Path:
    file = root / name
    if not file.is_file():
        raise SourceMissing(f"[[site.data]] names {name}, which is not in {root}: correct `file`")
    if not file.resolve().is_relative_to(root.resolve()):
        raise SourceError(f"[[site.data]] names {name}, which lies outside the site {root}")
    return file


def _read(file: Path) -> object:
    try:
        text = file.read_text(encoding="utf-8-sig")
        if file.suffix.lower() == ".toml":
            return tomllib.loads(text)
        return json.loads(text) if file.suffix.lower() == ".json" else read_yaml(text)
    except OSError as error:
        raise DocumentUnreadable(f"parse-error: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise DocumentUnreadable(f"encoding: {error}") from error
    except RecursionError as error:
        raise DocumentUnreadable("parse-error: values nest too deeply") from error
    except (ValueError, DocumentUnreadable) as error:
        raise DocumentUnreadable(f"parse-error: {error}") from error


def _rows(values: object) -> Iterator[tuple[str, Row]]:
    """Rows with their ids: of a list, of a map of rows, or of the only list of rows in a map."""
    rows = values
    if isinstance(values, dict):
        lists = [value for value in values.values() if _is_list_of_rows(value)]
        if len(lists) == 1:
            rows = lists[0]
        elif all(isinstance(value, dict) for value in values.values()):
            rows = [{"id": key, **value} for key, value in values.items()]
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise DocumentUnreadable(
            "parse-error: holds no rows: a list of maps, a map of maps, or a map with one such list"
        )
    if len(rows) > MAX_ROWS:
        raise DocumentUnreadable(f"too-large: {len(rows)} rows, more than {MAX_ROWS}")
    taken: set[str] = set()
    for number, row in enumerate(rows):
        names = (storable_text(scalar_text(row.get(key))) for key in _IDS)
        named = next(filter(None, names), "")
        row_id = str(number) if not named or named in taken else named
        taken.add(row_id)
        yield row_id, row


def _is_list_of_rows(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(row, dict) for row in value)


def _document(source: str, table: DataRows, base_url: str, row_id: str, row: Row) -> Document:
    text = "\n".join(_lines(row))
    return Document(
        doc_id=f"{source}:{table.file}@{row_id}",
        source=source,
        path=table.file,
        url=_absolute(_filled(table.url, row, quoted=True), base_url),
        title=_filled(table.title, row, quoted=False),
        language=table.language.lower(),
        kind="data",
        sections=(Section((), "", text),) if text else (),
        translation_key=_translation_key(table, row_id),
    )


def _translation_key(table: DataRows, row_id: str) -> str:
    """Equal for the row of one id in `projects.en.yaml`, `es/projects.yaml` and the like."""
    if not table.language:
        return ""
    language = re.escape(table.language)
    path = PurePosixPath(table.file).with_suffix("").as_posix()
    plain = re.sub(rf"[._-]{language}$|(?<![^/]){language}/", "", path, flags=re.IGNORECASE)
    return f"{plain}@{row_id}"


def _filled(template: str, row: Row, *, quoted: bool) -> str:
    def value(match: re.Match[str]) -> str:
        found: object = row
        for part in match[1].split("."):
            found = found.get(part) if isinstance(found, dict) else None
        text = storable_text(scalar_text(found)).strip()
        if not text:
            raise DocumentUnreadable(f"has no {match[1]!r}, which {template!r} asks for")
        return quote(text, safe="-._~:@!$&'()*+,;=") if quoted else " ".join(text.split())

    return _PLACEHOLDER.sub(value, template)


def _absolute(url: str, base_url: str) -> str:
    """`url` below the site's base; a site in a sub-path keeps that for `/projects/`."""
    if urlsplit(url).scheme in {"http", "https"}:
        return url
    return f"{base_url.rstrip('/')}/{url.lstrip('/')}"


def _lines(value: object, name: str = "", depth: int = 0) -> Iterator[str]:
    """The scalar values as `name: value`, nested ones too, as a reader would list them."""
    if depth > MAX_DEPTH:
        return
    label = f"{_READABLE.sub(' ', name)}: " if name else ""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _lines(inner, str(key), depth + 1)
    elif isinstance(value, list):
        scalars = ", ".join(filter(None, map(scalar_text, value)))
        yield from [f"{label}{scalars}"] if scalars else []
        for item in value:
            if isinstance(item, dict | list):
                yield from _lines(item, name, depth + 1)
    elif text := scalar_text(value).strip():
        yield f"{label}{text}"
