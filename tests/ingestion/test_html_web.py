import gzip
from collections.abc import Iterator
from pathlib import Path

import pytest

from ingestion.errors import SourceError, SourceUnreachable
from ingestion.sources.base import Listing
from ingestion.sources.html_web import HtmlWeb
from ingestion.sources.sitemap import RobotRules, robot_rules
from retrieval.configuration import Site
from tests.ingestion.test_html_site import page, reasons
from tests.ingestion.web_host import Sent, WebHost, web_host


@pytest.fixture
def host() -> Iterator[WebHost]:
    with web_host() as host:
        yield host


def sitemap(host: WebHost, *paths: str) -> Sent:
    places = "".join(
        f"<url><loc> {path if '://' in path else host.url + path} </loc><lastmod>x</lastmod></url>"
        for path in paths
    )
    return Sent(
        f"<?xml version='1.0'?><urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>{places}"
        "</urlset>"
    )


def listing(host: WebHost, path: str = "/sitemap.xml", base: str = "") -> Listing:
    return HtmlWeb(Site(kind="html", url=f"{host.url}{path}", base_url=base)).listing()


def test_the_pages_of_the_sitemap_are_read_each_once(host: WebHost) -> None:
    host.answers |= {
        "/sitemap.xml": sitemap(host, "/", "/a/", "/b?x=1", "/a/"),
        "/": Sent(page(title="Home")),
        "/a/": Sent(page(title="A")),
        "/b?x=1": Sent(page(title="B")),
    }
    found = listing(host)
    assert [(d.path, d.url, d.title) for d in found.documents] == [
        ("index.html", f"{host.url}/", "Home"),
        ("a/index.html", f"{host.url}/a/", "A"),
        ("b?x=1", f"{host.url}/b?x=1", "B"),
    ]
    assert host.seen == ["/robots.txt", "/sitemap.xml", "/", "/a/", "/b?x=1"]


@pytest.mark.parametrize("robots", [True, False])
def test_the_address_of_the_site_is_enough(host: WebHost, robots: bool) -> None:
    index = f"<sitemapindex><sitemap><loc>{host.url}/s.xml.gz</loc></sitemap></sitemapindex>"
    place = "/maps/all.xml" if robots else "/sitemap.xml"
    packed = str(sitemap(host, "/a/").body).encode()
    host.answers |= {place: Sent(index), "/s.xml.gz": Sent(gzip.compress(packed))}
    host.answers["/a/"] = Sent(page())
    if robots:
        host.answers["/robots.txt"] = Sent(f"Sitemap: {host.url}{place}\n")
    assert [d.path for d in listing(host, "/").documents] == ["a/index.html"]


def test_robots_and_the_borders_of_the_site_are_kept(host: WebHost) -> None:
    with web_host({"/x": Sent(page())}) as other:
        host.answers |= {
            "/robots.txt": Sent(
                "User-agent: *\nDisallow: /private/\nUser-agent: askfolio\nDisallow: /mine/\n"
            ),
            "/sitemap.xml": sitemap(host, "/mine/a", "/leaves", "/ok", f"{other.url}/x"),
            "/leaves": Sent("", 302, {"Location": f"{other.url}/x"}),
            "/ok": Sent(page()),
            "/mine/a": Sent(page()),
        }
        found = listing(host)
        assert other.seen == []
    assert [d.path for d in found.documents] == ["ok"]
    assert set(reasons(found)) == {"mine/a", "x"}
    assert [error.path for error in found.errors] == ["leaves"]
    assert "/mine/a" not in host.seen


def test_what_is_gone_is_left_out_and_what_fails_keeps_its_last_version(host: WebHost) -> None:
    host.answers |= {
        "/sitemap.xml": sitemap(host, "/gone", "/broken", "/pdf", "/hidden", "/ok"),
        "/broken": Sent("", 503),
        "/pdf": Sent("%PDF", headers={"Content-Type": "application/pdf"}),
        "/hidden": Sent(page(), headers={"X-Robots-Tag": "noindex"}),
        "/ok": Sent(page()),
    }
    found = listing(host)
    assert reasons(found) == dict.fromkeys(("gone", "pdf", "hidden"), "not-rendered")
    assert [error.path for error in found.errors] == ["broken"]
    assert [d.path for d in found.documents] == ["ok"]


def test_a_site_that_stops_to_answer_loses_nothing(host: WebHost) -> None:
    paths = [f"/{n}" for n in range(9)]
    host.answers |= {path: Sent("", 500) for path in paths}
    host.answers["/sitemap.xml"] = sitemap(host, *paths)
    with pytest.raises(SourceUnreachable, match="in a row"):
        listing(host)


def test_redirected_pages_have_the_address_they_lead_to(host: WebHost) -> None:
    host.answers |= {
        "/sitemap.xml": sitemap(host, "/old", "/new/"),
        "/old": Sent("", 301, {"Location": "/new/"}),
        "/new/": Sent(page()),
    }
    assert [d.url for d in listing(host).documents] == [f"{host.url}/new/"]


@pytest.mark.parametrize(
    "body",
    [
        "",
        "no xml",
        "<urlset/>",
        "<!DOCTYPE x [<!ENTITY a SYSTEM 'file:///etc/hostname'>]><urlset><url><loc>&a;</loc></url>"
        "</urlset>",
        gzip.compress(b"x" * 100)[:30],
    ],
)
def test_a_broken_sitemap_is_no_empty_site(host: WebHost, body: str | bytes) -> None:
    host.answers["/sitemap.xml"] = Sent(body)
    with pytest.raises(SourceError):
        listing(host)


def test_sitemaps_that_name_each_other_end(host: WebHost) -> None:
    index = "<sitemapindex>" + "".join(
        f"<sitemap><loc>{host.url}/{name}.xml</loc></sitemap>" for name in ("sitemap", "b")
    )
    host.answers["/sitemap.xml"] = Sent(f"{index}</sitemapindex>")
    host.answers["/b.xml"] = sitemap(host, "/ok")
    host.answers["/ok"] = Sent(page())
    assert len(listing(host).documents) == 1


@pytest.mark.parametrize(("status", "allowed"), [(404, True), (403, True), (500, None)])
def test_a_site_without_robots_may_be_read(
    host: WebHost, status: int, allowed: bool | None
) -> None:
    host.answers["/robots.txt"] = Sent("", status)
    if allowed is None:
        with pytest.raises(SourceUnreachable):
            robot_rules(f"{host.url}/")
    else:
        assert robot_rules(f"{host.url}/").allows(f"{host.url}/x") is allowed


def test_the_pause_is_the_one_that_is_asked_for_within_limits(host: WebHost) -> None:
    def rules(delay: str) -> RobotRules:
        host.answers["/robots.txt"] = Sent(f"User-agent: *\n{delay}\nDisallow: /x\n")
        return robot_rules(host.url)

    assert rules("").pause_s("https://x.example") == 0.5
    assert rules("").pause_s(host.url) == 0.0
    assert rules("Crawl-delay: 2").pause_s("https://x.example") == 2.0
    assert rules("Crawl-delay: 9999").pause_s("https://x.example") == 10.0


def test_nobody_listens() -> None:
    with web_host() as gone:
        url = gone.url
    with pytest.raises(SourceUnreachable):
        HtmlWeb(Site(kind="html", url=f"{url}/sitemap.xml")).listing()


def test_paths_are_those_of_files(host: WebHost, tmp_path: Path) -> None:
    host.answers |= {"/sitemap.xml": sitemap(host, "/a%20b/"), "/a%20b/": Sent(page())}
    assert [d.path for d in listing(host).documents] == ["a b/index.html"]
