"""The tools for other programs' models, over real HTTP, with the official client."""

import json
import logging
from pathlib import Path
from typing import Any

import anyio
import pytest

from tests.service.running import ORIGIN, Response, Service, configure, running

pytest.importorskip("mcp")
RAIN = "How does the station measure rain?"
ACCEPT = ("Accept", "application/json, text/event-stream")


def send(service: Service, method: str, params: object = None, **more: object) -> Response:
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params or {}, **more}
    return service.post("/mcp", message, ACCEPT)


def call(service: Service, tool: str, **arguments: object) -> Any:  # noqa: ANN401
    response = send(service, "tools/call", {"name": tool, "arguments": arguments})
    assert response.status == 200, response.body
    return response.json["result"]


def test_the_tools_give_the_objects_of_the_routes(tmp_path: Path) -> None:
    with running(configure(tmp_path)) as service:
        tools = send(service, "tools/list").json["result"]["tools"]
        answer = call(service, "ask_site", question=RAIN)
        found = call(service, "search_site", query="garden pump", k=1)
        over_http = service.ask(RAIN)
    assert {tool["name"] for tool in tools} == {"search_site", "ask_site"}
    assert answer["structuredContent"] == over_http
    assert json.loads(answer["content"][0]["text"]) == over_http
    assert found["structuredContent"]["results"][0]["url"] == f"{ORIGIN}/pump/"


def test_a_wrong_call_is_an_error_without_its_text(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    with running(configure(tmp_path)) as service:
        for tool, arguments in (
            ("ask_site", {"question": "visitor-marker" * 200}),
            ("ask_site", {"question": 5, "visitor-marker": 1}),
            ("ask_site", {}),
            ("search_site", {"query": "x", "k": 1000}),
            ("visitor-marker", {}),
        ):
            result = call(service, tool, **arguments)
            assert result["isError"]
            assert "marker" not in json.dumps(result)
        for method in ("visitor-marker", "tools/visitor-marker"):
            assert "marker" not in send(service, method).body.decode()
        for broken in ({"name": {"visitor-marker": 1}}, ["visitor-marker"], "visitor-marker"):
            assert "marker" not in send(service, "tools/call", broken).body.decode()
    assert "marker" not in caplog.text


def test_the_same_guards_stand_before_it(tmp_path: Path) -> None:
    with running(configure(tmp_path, '[service]\nrate = "2/minute"\n')) as service:
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
        assert service.post("/mcp", message, ACCEPT, origin=None).status == 403
        assert service.post("/mcp", message, ACCEPT, content_type="text/plain").status == 415
        assert service.post("/mcp", b"x" * 70_000, ACCEPT).status == 413
        for body in (b"", b"{", b"[" * 5000, b"[]", b"5", b'{"jsonrpc": "2.0"}'):
            assert 400 <= service.post("/mcp", body, ACCEPT).status < 500
        assert service.send("GET", "/mcp").status == 405
        assert service.send("DELETE", "/mcp", headers=[("Origin", ORIGIN)]).status == 405
        for _ in range(5):  # messages of the protocol are no questions
            assert send(service, "tools/list").status == 200
        assert "isError" in call(service, "ask_site", question=RAIN)
        assert service.post("/ask", {"question": RAIN}).status == 200
        refused = send(service, "tools/call", {"name": "ask_site", "arguments": {}})
        assert refused.status == 429
        assert int(refused.headers["Retry-After"]) > 0


def test_the_official_client_can_use_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import httpx2
    from mcp.client import Client
    from mcp.client.streamable_http import streamable_http_client

    monkeypatch.setenv("ASKFOLIO_API_TOKEN", "s3cret")

    async def use(url: str) -> str:
        headers = {"Authorization": "Bearer s3cret"}
        async with (
            httpx2.AsyncClient(headers=headers) as http,
            Client(streamable_http_client(url, http_client=http)) as client,
        ):
            result = await client.call_tool("search_site", {"query": "garden pump"})
        return str(result.structured_content)

    with running(configure(tmp_path)) as service:
        found = anyio.run(use, f"http://127.0.0.1:{service.port}/mcp")
    assert f"{ORIGIN}/pump/" in found
