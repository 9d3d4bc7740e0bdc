from pathlib import Path

import pytest

from retrieval.configuration import api_key, load_configuration
from retrieval.errors import ConfigurationError


def written(folder: Path, text: str) -> Path:
    file = folder / "askfolio.toml"
    file.write_text(text, encoding="utf-8")
    return file


def test_an_empty_file_gives_every_default(tmp_path: Path) -> None:
    configuration = load_configuration(written(tmp_path, ""))
    assert configuration.retrieval.full_context_tokens == 32000
    assert configuration.chunking.max_tokens == 400
    assert configuration.site == ()
    assert configuration.knowledge_path == tmp_path / "knowledge"


def test_one_site_table_and_a_list_of_sites_are_both_read(tmp_path: Path) -> None:
    one = load_configuration(written(tmp_path, '[site]\nname = "a"\n'))
    two = load_configuration(written(tmp_path, '[[site]]\nname = "a"\n[[site]]\nname = "b"\n'))
    assert [site.name for site in one.site] == ["a"]
    assert [site.name for site in two.site] == ["a", "b"]


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("[retrieval]\nfull_context_token = 3\n", "full_context_tokens"),
        ("[retreival]\nk = 3\n", "retrieval"),
        ('[site]\nbase-url = "https://a.example"\n', "base_url"),
        ('[[repository]]\npth = "x"\n', "path"),
        ("[chunking]\nmax_tokens = 10\noverlap_tokens = 10\n", "overlap_tokens (10)"),
        ("[chunking]\nmax_tokens = 0\noverlap_tokens = 0\n", "chunking.max_tokens"),
        ("[chunking]\noverlap_tokens = -1\n", "chunking.overlap_tokens"),
        ('[[repository]]\nname = "x"\n', "either url or path"),
        ('[site]\nname = "a"\n[[repository]]\npath = "b/a"\n', "two sources are named 'a'"),
        ('[retrieval]\npinned = ["nobody"]\n', "nobody"),
        ("[retrieval\n", "not valid TOML"),
    ],
)
def test_a_wrong_key_or_value_is_named_with_what_was_meant(
    tmp_path: Path, text: str, named: str
) -> None:
    with pytest.raises(ConfigurationError, match=r"askfolio\.toml") as error:
        load_configuration(written(tmp_path, text))
    assert named in str(error.value)


def test_a_missing_file_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="askfolio init"):
        load_configuration(tmp_path / "askfolio.toml")


def test_the_environment_wins_over_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = written(tmp_path, '[site]\nname = "a"\n[retrieval]\nfull_context_tokens = 5\n')
    monkeypatch.setenv("ASKFOLIO_RETRIEVAL__FULL_CONTEXT_TOKENS", "0")
    monkeypatch.setenv("ASKFOLIO_RETRIEVAL__PINNED", '["a"]')
    configuration = load_configuration(file)
    assert configuration.retrieval.full_context_tokens == 0
    assert configuration.retrieval.pinned == ("a",)


def test_an_unknown_variable_is_refused_with_the_nearest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASKFOLIO_RETRIEVAL__KK", "3")
    with pytest.raises(ConfigurationError, match="ASKFOLIO_RETRIEVAL__K"):
        load_configuration(written(tmp_path, ""))


def test_a_table_of_lists_comes_from_the_file_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASKFOLIO_SITE__NAME", "x")
    with pytest.raises(ConfigurationError, match="alone"):
        load_configuration(written(tmp_path, ""))


def test_the_key_can_lie_in_a_file(tmp_path: Path) -> None:
    file = tmp_path / "key"
    file.write_text("secret\n", encoding="utf-8")
    assert api_key({"MISTRAL_API_KEY_FILE": str(file)}) == "secret"
    assert api_key({}) == ""
    with pytest.raises(ConfigurationError, match="cannot be read"):
        api_key({"MISTRAL_API_KEY_FILE": str(tmp_path / "absent")})
