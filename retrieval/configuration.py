"""`askfolio.toml` and `ASKFOLIO_*` variables, read into frozen sections.

A scalar or list key can be set from the environment
(`ASKFOLIO_RETRIEVAL__FULL_CONTEXT_TOKENS=0`, lists as JSON); tables of lists come from the file.
Secrets come from the environment only: see `api_key` and `api_token`.
"""

import difflib
import ipaddress
import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, Self, get_args

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    field_validator,
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

FILE_NAME = "askfolio.toml"
PREFIX = "ASKFOLIO_"
SECRET_VARIABLES = frozenset({"ASKFOLIO_API_TOKEN"})
MAX_CONFIGURATION_BYTES = 1 << 20
RouteName = Literal[
    "ask", "search", "privacy", "page", "widget", "knowledge", "llms", "mcp", "metrics"
]
UNIT_SECONDS = {"second": 1.0, "minute": 60.0, "hour": 3600.0, "day": 86400.0}
_RATE = re.compile(r"^[1-9][0-9]{0,6}/(second|minute|hour|day)$")


class _Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class DataRows(_Section):
    """`[[site.data]]`: rows of a data file, one document each."""

    file: str
    url: str
    title: str = "{name}"
    language: str = ""


class Site(_Section):
    """`[site]`, or `[[site]]` for several."""

    name: str = Field(default="site", pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")
    path: str = "."
    url: str = ""
    kind: Literal["auto", "hugo", "markdown", "html", "knowledge"] = "auto"
    base_url: str = ""
    url_pattern: str = "/{path}/"
    hugo_list: str = ""
    public: str = "public"
    owner: str = ""
    contact: str = ""
    data: tuple[DataRows, ...] = ()

    @field_validator("base_url")
    @classmethod
    def _absolute(cls, value: str) -> str:
        if value and not value.startswith(("http://", "https://")):
            raise ValueError("must start with http:// or https://")
        return value


class Repository(_Section):
    """`[[repository]]`: READMEs, docs and code of one Git repository."""

    url: str = ""
    path: str = ""
    ref: str = ""
    name: str = Field(default="", pattern=r"^([A-Za-z0-9][A-Za-z0-9._-]*)?$")
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    link: str = ""
    token_env: str = ""
    public: bool = False

    @model_validator(mode="after")
    def _one_address(self) -> Self:
        if bool(self.url) == bool(self.path):
            raise ValueError("needs either url or path")
        return self

    @property
    def source_name(self) -> str:
        """`name`, or the last part of the address without `.git`."""
        address = (self.url or str(Path(self.path).resolve())).rstrip("/")
        return self.name or address.replace(":", "/").rsplit("/", 1)[-1].removesuffix(".git")


class Chunking(_Section):
    """Size of a chunk in tokens, without its heading context."""

    max_tokens: int = Field(default=400, ge=1, le=8000)
    overlap_tokens: int = Field(default=60, ge=0)

    @model_validator(mode="after")
    def _overlap_below_size(self) -> Self:
        if self.overlap_tokens >= self.max_tokens:
            raise ValueError(
                f"overlap_tokens ({self.overlap_tokens}) must be below max_tokens "
                f"({self.max_tokens})"
            )
        return self


class Knowledge(_Section):
    """The folder of generations."""

    path: str = "knowledge"
    keep: int = Field(default=2, ge=1, le=100)
    max_deleted: float = Field(default=0.3, ge=0, le=1)


class Embedding(_Section):
    """Who embeds passages and queries."""

    provider: Literal["auto", "mistral", "local", "none"] = "auto"
    model: str = "mistral-embed"
    server: Literal["eu", "global", "us"] = "eu"
    server_url: str = ""


class RetrievalSection(_Section):
    """Context policy, index kinds and fusion."""

    full_context_tokens: int = Field(default=32000, ge=0, le=250_000)
    pinned: tuple[str, ...] = ()
    dense: Literal["auto", "flat", "sq8", "ivf-pq"] = "auto"
    memory_mb: int = Field(default=700, ge=64)
    keyword: Literal["auto", "rank-bm25", "tantivy"] = "auto"
    k: int = Field(default=8, ge=1, le=100)
    candidates: int = Field(default=100, ge=1, le=10_000)
    rrf_k: int = Field(default=60, ge=1)
    keyword_weight: Literal["coverage"] | float = "coverage"


class Answer(_Section):
    """Who answers."""

    provider: Literal["auto", "mistral", "extractive"] = "auto"
    model: str = "ministral-3b-2512"
    server: Literal["eu", "global", "us"] = "eu"
    server_url: str = ""
    timeout_s: float = Field(default=20.0, gt=0, le=600)
    total_timeout_s: float = Field(default=120.0, gt=0, le=3600)
    retry_s: float = Field(default=30.0, gt=0, le=3600)


class Service(_Section):
    """Who may ask, and how much."""

    origins: tuple[str, ...] = ()
    public_url: str = ""
    allow_missing_origin: bool = False
    routes: tuple[RouteName, ...] = get_args(RouteName)
    rate: str = Field(default="5/minute", pattern=_RATE.pattern)
    daily_budget: float = Field(default=1.0, ge=0, allow_inf_nan=False)
    max_question_chars: int = Field(default=1000, ge=1)
    max_body_bytes: int = Field(default=65536, ge=1024)
    max_history_messages: int = Field(default=6, ge=0)
    max_history_chars: int = Field(default=8000, ge=0)
    trusted_proxies: tuple[str, ...] = ()

    @field_validator("trusted_proxies")
    @classmethod
    def _networks(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for network in value:
            try:
                ipaddress.ip_network(network, strict=False)
            except ValueError:
                raise ValueError(
                    f"{network!r} is no address or network such as 10.0.0.2 or 10.0.0.0/24"
                ) from None
        return value

    @property
    def rate_limit(self) -> tuple[int, float]:
        """Requests, and the seconds in which a visitor may send them."""
        count, _, unit = self.rate.partition("/")
        return int(count), UNIT_SECONDS[unit]


class Log(_Section):
    """What is kept about visitors."""

    mode: Literal["off", "counts", "consent", "anonymous"] = "off"
    path: str = "visitor-log"
    retention_days: int = Field(default=90, ge=1, le=3650)
    legal_basis: str = ""

    @model_validator(mode="after")
    def _has_basis(self) -> Self:
        if self.mode == "anonymous" and not self.legal_basis.strip():
            raise ValueError(
                'mode = "anonymous" keeps text without asking: name the ground in legal_basis'
            )
        return self


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
