"""The sections of `askfolio.toml`: every key with its default and its limits; frozen."""

import ipaddress
import re
from pathlib import Path
from typing import Literal, Self, get_args

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

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
    rate_storage: str = ""
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
