from pathlib import Path

import pytest

from retrieval.errors import ConfigurationError
from retrieval.generation import open_generation
from service.site import configured_origins, generation_origins, owner
from tests.service.running import ORIGIN, configure, write_configured


@pytest.mark.parametrize(
    ("contact", "address"),
    [
        ("/contact/", f"{ORIGIN}/contact/"),
        ("/not-indexed/", f"{ORIGIN}/not-indexed/"),
        ("mailto:a@b.example", "mailto:a@b.example"),
        ("a@b.example", "mailto:a@b.example"),
        ("https://b.example/x", "https://b.example/x"),
    ],
)
def test_the_contact_is_an_address(tmp_path: Path, contact: str, address: str) -> None:
    configuration = configure(tmp_path)
    site = configuration.site[0].model_copy(update={"contact": contact})
    configuration = configuration.model_copy(update={"site": (site,)})
    generation = open_generation(configuration.knowledge_path)
    assert owner(configuration, generation.store).contact == address
    generation.close()


def test_origins_are_written_as_browsers_send_them(tmp_path: Path) -> None:
    configuration = write_configured(
        tmp_path,
        '[service]\norigins = ["https://Example.org:443/", "http://localhost:1313", '
        '"https://xn--bcher-kva.example", "https://bücher.example", "http://[::1]:80"]\n'
        'public_url = "https://ask.example/path"\n',
    )
    assert configured_origins(configuration) == {
        "https://example.org",
        "http://localhost:1313",
        "https://xn--bcher-kva.example",
        "http://[::1]",
        "https://ask.example",
    }


def test_without_a_base_url_the_pages_give_the_origin(tmp_path: Path) -> None:
    configuration = configure(tmp_path)
    site = configuration.site[0].model_copy(update={"base_url": ""})
    configuration = configuration.model_copy(update={"site": (site,)})
    generation = open_generation(configuration.knowledge_path)
    assert configured_origins(configuration) == frozenset()
    assert generation_origins(configuration, generation.store) == {ORIGIN}
    generation.close()


@pytest.mark.parametrize("origin", ["*", "null", "https://*.example.org", "ftp://x", "https://:1"])
def test_what_is_no_origin_is_refused(tmp_path: Path, origin: str) -> None:
    configuration = write_configured(tmp_path)
    service = configuration.service.model_copy(update={"origins": (origin,)})
    with pytest.raises(ConfigurationError, match="is no origin"):
        configured_origins(configuration.model_copy(update={"service": service}))
