"""How is the API described? `GET /openapi.json`, with stable operation ids."""

from pathlib import Path
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from pydantic import BaseModel

from service.routes import BODIES
from service.schemas import (
    AskRequest,
    CitationOut,
    DoneOut,
    ErrorBody,
    MetaOut,
    SearchRequest,
    TokenOut,
)

EVENTS: dict[str, type[BaseModel]] = {
    "meta": MetaOut,
    "citation": CitationOut,
    "token": TokenOut,
    "done": DoneOut,
    "error": ErrorBody,
}
VERSION = "1"
OWN_PAGE = Path(__file__).with_name("own_page.html")
"""How a page of one's own asks, with `fetch`."""


def describe(app: FastAPI, max_question_chars: int) -> None:
    """Bodies are read by the routes themselves, so that their schemas are added here.

    The events of a stream are under `x-events`: OpenAPI has no words for them. A page that asks
    is under `x-codeSamples`, where the usual viewers look for examples.
    """

    def described() -> dict[str, Any]:
        if app.openapi_schema is None:
            schema = get_openapi(
                title=app.title, version=VERSION, summary=app.summary, routes=app.routes
            )
            schemas = schema.setdefault("components", {}).setdefault("schemas", {})
            for model in (*BODIES, *EVENTS.values()):
                own = model.model_json_schema(ref_template="#/components/schemas/{model}")
                schemas.update(own.pop("$defs", {}))
                schemas[model.__name__] = own
            for model, field in ((AskRequest, "question"), (SearchRequest, "query")):
                schemas[model.__name__]["properties"][field]["maxLength"] = max_question_chars
            schema["x-events"] = {
                name: {"$ref": f"#/components/schemas/{model.__name__}"}
                for name, model in EVENTS.items()
            }
            if "/ask" in schema["paths"]:
                source = OWN_PAGE.read_text(encoding="utf-8")
                sample = {"lang": "HTML", "label": "A page of one's own", "source": source}
                schema["paths"]["/ask"]["post"]["x-codeSamples"] = [sample]
            app.openapi_schema = schema
        return app.openapi_schema

    app.openapi = described  # type: ignore[method-assign]
