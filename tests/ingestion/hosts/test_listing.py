"""What a user has on a host, told by its API over a real connection."""

import socket
from collections.abc import Callable

import pytest

from ingestion.errors import SourceUnreachable
from ingestion.hosts.kinds import GITHUB, list_paths
from ingestion.hosts.listing import account, list_repositories
from retrieval.errors import ConfigurationError
from tests.ingestion.hosts.api_host import ApiHost, api_host, forgejo, github, gitlab

TOKEN = "made-up-token-41"


def listed(host: ApiHost, owner: str = "ada", token: str = "") -> dict[str, str]:
    found = list_repositories(account(f"{host.url}/{owner}"), token)
    return {one.path: one.left_out for one in found}


def test_github_says_what_is_a_fork_archived_private_or_perhaps_empty() -> None:
    made = github(
        {"name": "engine"}, {"name": "theirs", "fork": True}, {"name": "old", "archived": True},
        {"name": "mine", "private": True}, {"name": "tiny", "size": 0},
    )  # fmt: skip
    with api_host(made) as host:
        assert listed(host) == {
            "ada/engine": "", "ada/theirs": "fork", "ada/old": "archived", "ada/mine": "private",
            "ada/tiny": "",
        }  # fmt: skip
        found = list_repositories(account(f"{host.url}/ada"), "")
        assert [one.name for one in found if one.may_be_empty] == ["tiny"]


def test_gitlab_says_it_in_its_own_words() -> None:
    made = gitlab(
        {"name": "engine"}, {"name": "theirs", "forked_from_project": {"id": 1}},
        {"name": "old", "archived": True}, {"name": "inside", "visibility": "internal"},
        {"name": "new", "default_branch": None}, {"name": "none", "empty_repo": True},
    )  # fmt: skip
    with api_host(made) as host:
        assert listed(host) == {
            "ada/engine": "", "ada/theirs": "fork", "ada/old": "archived", "ada/inside": "private",
            "ada/new": "empty", "ada/none": "empty",
        }  # fmt: skip


def test_forgejo_says_what_is_empty() -> None:
    made = forgejo({"name": "engine"}, {"name": "new", "empty": True}, {"name": "f", "fork": True})
    with api_host(made) as host:
        assert listed(host) == {"ada/engine": "", "ada/new": "empty", "ada/f": "fork"}


@pytest.mark.parametrize(
    ("made", "owner"),
    [
        (gitlab({"name": "x"}, owner="lab", kind="groups"), "lab"),
        (gitlab({"name": "x"}, owner="lab/tools", kind="groups"), "lab/tools"),
        (forgejo({"name": "x"}, owner="lab", kind="orgs"), "lab"),
    ],
)
def test_an_organisation_is_asked_for_where_no_user_has_the_name(made: ApiHost, owner: str) -> None:
    with api_host(made) as host:
        assert listed(host, owner) == {f"{owner}/x": ""}


@pytest.mark.parametrize("make", [github, gitlab, forgejo])
@pytest.mark.parametrize("with_links", [True, False])
def test_every_page_is_read_whatever_its_size(
    make: Callable[..., ApiHost], with_links: bool
) -> None:
    names = [{"name": f"r{number:03}"} for number in range(230)]
    with api_host(make(*names, page_size=50, with_links=with_links)) as host:
        assert list(listed(host)) == [f"ada/{name['name']}" for name in names]


def test_a_host_that_repeats_a_page_is_not_asked_for_ever() -> None:
    made = forgejo({"name": "x"})
    (entries,) = made.lists.values()
    made.documents = {**made.documents, "/api/v1/users/ada/repos": entries}
    with api_host(made) as host:
        assert listed(host) == {"ada/x": ""}
        assert len(host.asked) < 5


def test_a_token_is_sent_to_the_host_and_named_nowhere() -> None:
    with api_host(forgejo({"name": "x"})) as host:
        listed(host, token=TOKEN)
        assert set(host.tokens) == {f"token {TOKEN}"}
        host.refusal = (401, {})
        with pytest.raises(SourceUnreachable, match="token is not accepted") as caught:
            listed(host, token=TOKEN)
        assert TOKEN not in str(caught.value)


def test_a_token_is_not_carried_to_another_host() -> None:
    with api_host(forgejo({"name": "x"})) as other, api_host(forgejo({"name": "x"})) as host:
        host.moved = other.url.replace("127.0.0.1", "localhost")
        with pytest.raises(SourceUnreachable, match="redirects to another host"):
            listed(host, token=TOKEN)
        assert other.asked == []


@pytest.mark.parametrize(
    ("status", "headers", "words"),
    [
        (429, {"Retry-After": "30"}, "rate limit, 429.*in 30 s.*--token-env"),
        (403, {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1700000000"},
         "rate limit, 403.*after 2023-11-14 22:13 UTC"),
        (429, {"Retry-After": "x" * 50}, "try again later"),
        (403, {}, r"refused \(403\): it asks for a token"),
        (500, {}, "answered 500"),
        (503, {"Retry-After": "5"}, "answered 503"),
    ],
)  # fmt: skip
def test_a_refusal_says_what_to_do(status: int, headers: dict[str, str], words: str) -> None:
    with (
        api_host(github({"name": "x"}, refusal=(status, headers))) as host,
        pytest.raises(SourceUnreachable, match=words),
    ):
        listed(host)


def test_a_user_that_is_not_there_is_named() -> None:
    with api_host(forgejo({"name": "x"})) as host, pytest.raises(SourceUnreachable, match="eve"):
        listed(host, "eve")


@pytest.mark.parametrize("raw", [b"<html>Hello</html>", b"[" * 200_000, b"\xff\xfe", b"not json"])
def test_a_host_without_a_known_api_is_no_host(raw: bytes) -> None:
    with (
        api_host(ApiHost({}, raw=raw)) as host,
        pytest.raises(SourceUnreachable, match="none of the known APIs"),
    ):
        listed(host)


@pytest.mark.parametrize("raw", [b'{"message": "x"}', b'"x"', b"3", b" " * (17 << 20)])
def test_an_answer_of_another_form_is_refused(raw: bytes) -> None:
    with api_host(ApiHost({}, raw=raw)) as host, pytest.raises(SourceUnreachable):
        listed(host)


def test_entries_of_another_form_and_paths_that_lead_elsewhere_are_passed_over() -> None:
    names = ["x/../../etc", "x?y", "a b", "", "-", "x/y"]
    made = forgejo({"name": "ok"}, *({"name": name} for name in names))
    (entries,) = made.lists.values()
    made.lists = {"/api/v1/users/ada/repos": [*entries, {}, {"full_name": 3}]}
    with api_host(made) as host:
        found = list_repositories(account(f"{host.url}/ada"), "")
        urls = [account(f"{host.url}/ada").clone_url(one) for one in found]
        assert urls[0] == f"{host.url}/ada/ok.git"
        assert all(url.startswith(f"{host.url}/ada/") and ".." not in url for url in urls)


def test_a_host_that_is_not_there_is_unreachable() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
        with pytest.raises(SourceUnreachable, match="does not answer"):
            list_repositories(account(f"http://127.0.0.1:{port}/ada"), "")


@pytest.mark.parametrize(
    "address",
    [
        "https://host.example", "http://host.example/ada", "git@host.example:ada", "ada", "",
        "https://user:pw@host.example/ada", "https://host.example/ada?x=1", "ssh://host/ada",
        "https://host.example/../x", "https://host.example/a b", "https://[::1/ada", "file:///x/y",
    ],
)  # fmt: skip
def test_what_is_no_address_of_an_account_is_refused(address: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        account(address)
    assert "pw" not in str(caught.value)


def test_an_owner_is_encoded_in_the_path() -> None:
    assert list_paths(GITHUB, "a~b") == ("users/a~b/repos",)
