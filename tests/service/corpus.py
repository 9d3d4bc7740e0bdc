"""A small corpus in memory: passages and real pages to cite."""

from retrieval.types import Chunk, Kind, LinkTarget, RankedChunk, StoredDocument

SITE = "https://portfolio.example"
ANCHORS = {
    "/station/": ("Weather station", {"hardware": "Hardware", "software": "Software"}),
    "/pump/": ("Garden pump", {"parts": "Parts"}),
    "/contact/": ("Contact", {}),
    "/": ("Home", {"profile": "Profile"}),
}


def document(
    path: str = "content/station.md",
    url: str | None = f"{SITE}/station/",
    title: str = "Weather station",
    language: str = "en",
    kind: Kind = "page",
    source: str = "site",
) -> StoredDocument:
    return StoredDocument(f"{source}:{path}", source, path, url, title, language, kind, "")


def passage(
    text: str,
    of: StoredDocument | None = None,
    anchor: str = "hardware",
    headings: tuple[str, ...] = ("Hardware",),
    ordinal: int = 0,
) -> RankedChunk:
    stored = of or document()
    url = f"{stored.url}#{anchor}" if stored.url and anchor else stored.url
    chunk = Chunk(
        chunk_id=f"{stored.doc_id}#0.{ordinal}",
        doc_id=stored.doc_id,
        url=url,
        anchor=anchor,
        headings=headings,
        ordinal=ordinal,
        text=text,
        tokens=len(text) // 4 + 1,
        start_line=None,
        end_line=None,
        content_hash=f"{ordinal:064x}",
    )
    return RankedChunk(chunk, stored, 0.0)


PUMP = document("content/pump.md", f"{SITE}/pump/", "Garden pump")
CODE = document("src/gauge.py", None, "gauge.py", language="", kind="code", source="engine")
PASSAGES = (
    passage("The station measures rain with a tipping bucket."),
    passage("The pump waters the beds. See https://pump.test/manual.", PUMP, "parts", ("Parts",)),
    passage("The station runs on a battery.", anchor="software", headings=("Software",), ordinal=1),
    passage("def read_gauge():\n    return 1", CODE, "", ("read_gauge",)),
)


def link_target(address: str) -> LinkTarget | None:
    """As `ChunkStore.link_target`: an unknown anchor leads to its page, an unknown page to none."""
    page, _, anchor = address.removeprefix(SITE).partition("#")
    if page not in ANCHORS:
        return None
    title, anchors = ANCHORS[page]
    stored = {"/station/": document(), "/pump/": PUMP}.get(
        page, document(f"content{page}", SITE + page, title)
    )
    url = f"{SITE}{page}#{anchor}" if anchor in anchors else SITE + page
    return LinkTarget(url, title, anchors.get(anchor, ""), stored)
