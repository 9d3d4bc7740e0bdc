"""`[[repository]]` blocks of the configuration file: made, appended and taken out.

Comments and the order of the file are its owner's: what is not a block's own line stays.
"""

import re
import tomllib
from collections.abc import Iterable, Sequence
from pathlib import Path

import tomlkit
from pydantic import ValidationError
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import AoT, Array

from ingestion.durable_files import replace_file
from retrieval.configuration import Configuration, Repository, load_configuration
from retrieval.errors import ConfigurationError

_HEADER = re.compile(r"\s*\[")
_REPOSITORY = re.compile(r"\s*\[\[\s*(?:repository|\"repository\"|'repository')\s*\]\]")
_NOT_IN_NAME = re.compile(r"[^A-Za-z0-9._-]+")


def repository_block(
    source: str,
    folder: Path,
    *,
    ref: str = "",
    include: tuple[str, ...] = (),
    name: str = "",
    token_env: str = "",
    public: bool = False,
) -> Repository:
    """The block for a URL or a path; a path is written relative to `folder` where it is below.

    Raises:
        ConfigurationError: Neither a folder nor a URL, or a name that no source can have.
    """
    local = Path(source).expanduser()
    is_address = "://" in source or (":" in source and not local.exists())
    if not is_address and not local.is_dir():
        raise ConfigurationError(f"{source} is no folder and no URL of a Git repository")
    path = "" if is_address else _shortest(local, folder)
    url = source if is_address else ""
    given = {"ref": ref, "include": include, "token_env": token_env, "public": public}
    try:
        found = Repository.model_validate({"url": url, "path": path, "name": name, **given})
    except ValidationError as error:
        raise ConfigurationError(f"--name {name!r}: {error.errors()[0]['msg']}") from error
    shown = local.resolve().name.removesuffix(".git") if path else found.source_name
    return found.model_copy(update={"name": name or _as_name(shown)})


def free_name(configuration: Configuration, wanted: str, owner: str = "") -> str:
    """`wanted`, or with the owner in front where another source has it; "" where that is taken.

    Args:
        configuration: Names the sources that there are.
        wanted: What the source would be called.
        owner: Put in front of a name that is taken; "" for none.
    """
    taken = {site.name for site in configuration.site}
    taken |= {other.source_name for other in configuration.repository}
    names = (wanted, _as_name(f"{owner}-{wanted}")) if owner else (wanted,)
    return next((name for name in names if name not in taken), "")


def with_repository(
    configuration: Configuration, file: Path, repository: Repository
) -> Configuration:
    """The configuration as it would be with the block.

    Raises:
        ConfigurationError: Another source has the name.
    """
    if not free_name(configuration, repository.source_name):
        raise ConfigurationError(
            f"{file} has a source named {repository.source_name} already: give --name"
        )
    repositories = (*configuration.repository, repository)
    return configuration.model_copy(update={"repository": repositories})


def add_repositories(file: Path, repositories: Iterable[Repository]) -> Configuration:
    """Append blocks; returns the configuration as it is then.

    Raises:
        ConfigurationError: The file cannot be read or written, or a name is taken.
    """
    configuration = load_configuration(file)
    document = _document(file)
    for repository in repositories:
        configuration = with_repository(configuration, file, repository)
        blocks = document.get("repository")
        if blocks is None:
            blocks = tomlkit.aot()
            document.add(tomlkit.nl())
            document.append("repository", blocks)
        block = tomlkit.inline_table() if isinstance(blocks, Array) else tomlkit.table()
        given = repository.model_dump(exclude_defaults=True)
        for key, value in {**given, "name": repository.source_name}.items():
            block.add(key, list(value) if isinstance(value, tuple) else value)
        blocks.append(block)
    _write(file, tomlkit.dumps(document))
    return load_configuration(file)


def remove_repository(file: Path, name: str) -> Repository:
    """Take the block of a repository out; returns what it was.

    Comments above the next block stay with that.

    Raises:
        ConfigurationError: No repository of that name, or the file cannot be read or written.
    """
    configuration = load_configuration(file)
    names = [repository.source_name for repository in configuration.repository]
    if name not in names:
        site = any(site.name == name for site in configuration.site)
        what = "is a site: take its block out by hand" if site else "is no source"
        listed = ", ".join(names) or "none"
        raise ConfigurationError(f"{name!r} {what}; the repositories are: {listed}")
    if name in configuration.retrieval.pinned:
        raise ConfigurationError(f"retrieval.pinned names {name!r}: take it out there first")
    number = names.index(name)
    _write(file, _without_lines(_text(file), number) or _without_item(file, number))
    return configuration.repository[number]


def _without_lines(text: str, number: int) -> str:
    """The text without the lines of one block; "" where it is not written as lines of its own."""
    lines = text.splitlines(keepends=True)
    starts = [row for row, line in enumerate(lines) if _REPOSITORY.match(line)]
    if number >= len(starts):
        return ""
    first = starts[number]
    end = next(
        (row for row in range(first + 1, len(lines)) if _HEADER.match(lines[row])), len(lines)
    )
    behind = end
    while behind < len(lines) and behind > first + 1 and _is_beside(lines[behind - 1]):
        behind -= 1
    kept = "".join(lines[:first] + lines[behind:])
    return kept if _is_without(text, kept, number) else ""


def _is_beside(line: str) -> bool:
    return not line.strip() or line.lstrip().startswith("#")


def _is_without(before: str, after: str, number: int) -> bool:
    """Whether nothing but the block is gone; a header may stand in a text of several lines."""
    try:
        expected, found = tomllib.loads(before), tomllib.loads(after)
    except tomllib.TOMLDecodeError:
        return False
    blocks: Sequence[object] = expected.pop("repository", [])
    left: Sequence[object] = found.pop("repository", [])
    return expected == found and [*blocks[:number], *blocks[number + 1 :]] == list(left)


def _without_item(file: Path, number: int) -> str:
    document = _document(file)
    blocks = document["repository"]
    if not isinstance(blocks, AoT | Array):
        raise ConfigurationError(f"{file}: repository is no list: take the block out by hand")
    del blocks[number]
    return tomlkit.dumps(document)


def _document(file: Path) -> tomlkit.TOMLDocument:
    try:
        return tomlkit.parse(_text(file))
    except TOMLKitError as error:
        raise ConfigurationError(f"{file} cannot be read: {error}") from error


def _text(file: Path) -> str:
    """With the line ends that it has."""
    try:
        return file.read_bytes().decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{file} cannot be read: {error}") from error


def _as_name(text: str) -> str:
    """What a source can be called: `.github` becomes `github`."""
    return _NOT_IN_NAME.sub("-", text).lstrip("._-") or "repository"


def _shortest(local: Path, folder: Path) -> str:
    resolved = local.resolve()
    if resolved.is_relative_to(folder.resolve()):
        return resolved.relative_to(folder.resolve()).as_posix()
    return str(resolved)


def _write(file: Path, text: str) -> None:
    try:
        replace_file(file.resolve(), text)  # a link to the file stays one
    except OSError as error:
        raise ConfigurationError(f"{file} cannot be written: {error.strerror}") from error
