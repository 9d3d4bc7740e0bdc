"""`askfolio.toml` and `ASKFOLIO_*` variables, read into frozen sections.

A scalar or list key can be set from the environment
(`ASKFOLIO_RETRIEVAL__FULL_CONTEXT_TOKENS=0`, lists as JSON); tables of lists come from the file.
Secrets come from the environment only: see `api_key` and `api_token`.
"""

import difflib
import os
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Self, get_args

from pydantic import (
    BaseModel,
    BeforeValidator,
    ValidationError,
    model_validator,
)
from pydantic.fields import FieldInfo
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    SettingsError,
)

from retrieval.errors import ConfigurationError
from retrieval.sections import (
    Answer,
    Chunking,
    DataRows,
    Embedding,
    Knowledge,
    Log,
    Repository,
    RetrievalSection,
    Service,
    Site,
)

__all__ = [
    "FILE_NAME",
    "Answer",
    "Chunking",
    "Configuration",
    "DataRows",
    "Embedding",
    "Knowledge",
    "Log",
    "Repository",
    "RetrievalSection",
    "Service",
    "Site",
    "api_key",
    "api_token",
    "keys",
    "load_configuration",
]

FILE_NAME = "askfolio.toml"
PREFIX = "ASKFOLIO_"
SECRET_VARIABLES = frozenset({"ASKFOLIO_API_TOKEN"})
MAX_CONFIGURATION_BYTES = 1 << 20


def _listed(value: object) -> object:
    return [value] if isinstance(value, Mapping) else value


class _Toml(PydanticBaseSettingsSource):
    """The parsed file, below the environment."""

    def __init__(self, settings: type[BaseSettings], table: dict[str, Any]) -> None:
        super().__init__(settings)
        self._table = table

    def get_field_value(
        self,
        field: FieldInfo,  # noqa: ARG002
        field_name: str,
    ) -> tuple[Any, str, bool]:
        """One section of the file."""
        return self._table.get(field_name), field_name, False

    def __call__(self) -> dict[str, Any]:
        return self._table


class Configuration(BaseSettings):
    """Every section of `askfolio.toml`, complete with defaults.

    Attributes:
        folder: Where the file lies; relative paths are relative to it.
    """

    model_config = SettingsConfigDict(
        frozen=True, extra="forbid", env_prefix=PREFIX, env_nested_delimiter="__"
    )

    site: Annotated[tuple[Site, ...], BeforeValidator(_listed)] = ()
    repository: tuple[Repository, ...] = ()
    chunking: Chunking = Chunking()
    knowledge: Knowledge = Knowledge()
    embedding: Embedding = Embedding()
    retrieval: RetrievalSection = RetrievalSection()
    answer: Answer = Answer()
    service: Service = Service()
    log: Log = Log()
    folder: Path = Path()

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """The environment wins over the file, which arrives as initial values."""
        table: dict[str, Any] = init_settings()
        return env_settings, _Toml(settings_cls, table)

    @model_validator(mode="after")
    def _sources(self) -> Self:
        names = [site.name for site in self.site]
        names += [repository.source_name for repository in self.repository]
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f"two sources are named {name!r}: give one of them another name")
        for name in self.retrieval.pinned:
            if name not in names:
                raise ValueError(
                    f"retrieval.pinned names {name!r}, but the sources are: {', '.join(names)}"
                )
        return self

    @model_validator(mode="after")
    def _log_lies_apart(self) -> Self:
        log, knowledge = self.log_path.resolve(), self.knowledge_path.resolve()
        if log == knowledge or log in knowledge.parents or knowledge in log.parents:
            raise ValueError(
                f"log.path {self.log.path!r} and knowledge.path {self.knowledge.path!r} lie in "
                "each other: the knowledge folder is copied and served, the log must not be"
            )
        return self

    @property
    def log_path(self) -> Path:
        """The folder of the visitor log, absolute."""
        return self.resolve(self.log.path)

    @property
    def knowledge_path(self) -> Path:
        """The folder of generations, absolute."""
        return self.resolve(self.knowledge.path)

    def resolve(self, path: str) -> Path:
        """`path` relative to the configuration file, absolute."""
        return (self.folder / Path(path).expanduser()).absolute()


def load_configuration(path: Path | None = None) -> Configuration:
    """Read `path`, or `askfolio.toml` in the working directory, and the environment.

    Raises:
        ConfigurationError: No file, broken TOML, an unknown key or variable, a wrong value.
    """
    file = path or Path(FILE_NAME)
    table = _read_toml(file)
    _refuse_unknown_variables(os.environ)
    try:
        return Configuration(**table, folder=file.absolute().parent)
    except ValidationError as error:
        raise ConfigurationError(f"{file}: {_explain(error)}") from error
    except SettingsError as error:
        raise ConfigurationError(f"environment: {error} (lists are written as JSON)") from error


def api_key(environment: Mapping[str, str] = os.environ) -> str:
    """The provider's key from MISTRAL_API_KEY or the file named by MISTRAL_API_KEY_FILE, or "".

    Raises:
        ConfigurationError: The named file cannot be read.
    """
    key = environment.get("MISTRAL_API_KEY", "").strip()
    file = environment.get("MISTRAL_API_KEY_FILE", "").strip()
    if key or not file:
        return key
    try:
        return Path(file).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(
            f"MISTRAL_API_KEY_FILE names {file}, which cannot be read: {error}"
        ) from error


def api_token(environment: Mapping[str, str] = os.environ) -> str:
    """The bearer token that server-to-server callers send, or ""."""
    return environment.get("ASKFOLIO_API_TOKEN", "").strip()


def keys() -> Iterator[tuple[str, str, Any]]:
    """Every key as (section, key, default): the settings table of the README is held to it."""
    for section, field in Configuration.model_fields.items():
        for model in _models(field.annotation):
            for key, key_field in model.model_fields.items():
                yield section, key, key_field.get_default()


def _models(annotation: object) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for argument in get_args(annotation):
        yield from _models(argument)


def _read_toml(file: Path) -> dict[str, Any]:
    try:
        if file.stat().st_size > MAX_CONFIGURATION_BYTES:
            raise ConfigurationError(f"{file} is larger than {MAX_CONFIGURATION_BYTES} bytes")
        return tomllib.loads(file.read_text(encoding="utf-8-sig"))
    except FileNotFoundError as error:
        raise ConfigurationError(
            f"no configuration file {file}: run `askfolio init`, or name one with --config"
        ) from error
    except OSError as error:
        raise ConfigurationError(f"{file} cannot be read: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{file} is not valid TOML: {error}") from error


def _explain(error: ValidationError) -> str:
    sentences = []
    for problem in error.errors(include_url=False):
        parts = [str(part) for part in problem["loc"]]
        where = ".".join(parts)
        if problem["type"] == "extra_forbidden":
            known = _known_names(parts[0] if len(parts) > 1 else "")
            sentences.append(f"unknown key {where}{_nearest(parts[-1], known)}")
        else:
            message = problem["msg"].removeprefix("Value error, ")
            given = problem.get("input")
            shown = f" (got {given!r})" if isinstance(given, str | int | float | bool) else ""
            sentences.append(f"{where}: {message}{shown}" if where else message)
    return "; ".join(sentences)


def _known_names(section: str) -> list[str]:
    if section:
        return [key for name, key, _ in keys() if name == section]
    return [name for name in Configuration.model_fields if name != "folder"]


def _nearest(name: str, known: list[str]) -> str:
    near = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
    return f"; did you mean {near[0]}?" if near else f"; known: {', '.join(known)}"


def _refuse_unknown_variables(environment: Mapping[str, str]) -> None:
    lists = {"site", "repository"}
    known = {
        f"{PREFIX}{section}__{key}".upper() for section, key, _ in keys() if section not in lists
    }
    for variable in environment:
        name = variable.upper()
        if not name.startswith(PREFIX) or name in known | SECRET_VARIABLES:
            continue
        section = name.removeprefix(PREFIX).split("__", 1)[0].lower()
        if section in lists:
            raise ConfigurationError(
                f"environment variable {variable}: [{section}] is set in {FILE_NAME} alone"
            )
        raise ConfigurationError(
            f"unknown environment variable {variable}"
            + _nearest(name, sorted(known | SECRET_VARIABLES))
        )
