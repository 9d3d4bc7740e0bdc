"""Which address opens a file, or lines of it, at one commit?"""

import re
from dataclasses import dataclass
from urllib.parse import quote

from ingestion.git.address import Address
from retrieval.configuration import Repository
from retrieval.errors import ConfigurationError

_PLACEHOLDER = re.compile(r"\{[^{}]*\}")
_KNOWN = frozenset({"{commit}", "{path}", "{start}", "{end}"})
_SAFE = "/!$'()*,-.:;=@_~"  # RFC 3986 lets them stand in a path


@dataclass(frozen=True, slots=True)
class HostForm:
    """How a host writes an address.

    Attributes:
        page: Of a file, with {root} {commit} {path}.
        raw: Of its content, such as an image.
        lines: What is added for lines of code.
        prose_lines: What is added for lines of a file that the host shows as formatted text.
        has_heading_ids: Whether the ids of Markdown headings are GitHub's.
    """

    page: str
    raw: str
    lines: str
    prose_lines: str
    has_heading_ids: bool


_GITHUB = HostForm(
    "{root}/blob/{commit}/{path}",
    "{root}/raw/{commit}/{path}",
    "#L{start}-L{end}",
    "?plain=1#L{start}-L{end}",
    True,
)
_GITLAB = HostForm(
    "{root}/-/blob/{commit}/{path}",
    "{root}/-/raw/{commit}/{path}",
    "#L{start}-{end}",
    "?plain=1#L{start}-{end}",
    False,
)
_FORGEJO = HostForm(
    "{root}/src/commit/{commit}/{path}",
    "{root}/raw/commit/{commit}/{path}",
    "#L{start}-L{end}",
    "?display=source#L{start}-L{end}",
    True,
)
_BITBUCKET = HostForm(
    "{root}/src/{commit}/{path}",
    "{root}/raw/{commit}/{path}",
    "#lines-{start}:{end}",
    "#lines-{start}:{end}",
    False,
)
_SOURCEHUT = HostForm(
    "{root}/tree/{commit}/item/{path}",
    "{root}/blob/{commit}/{path}",
    "#L{start}-{end}",
    "?view-source#L{start}-{end}",
    False,
)
_HOSTS = {
    "github.com": _GITHUB,
    "gitlab.com": _GITLAB,
    "framagit.org": _GITLAB,
    "salsa.debian.org": _GITLAB,
    "invent.kde.org": _GITLAB,
    "codeberg.org": _FORGEJO,
    "gitea.com": _FORGEJO,
    "git.disroot.org": _FORGEJO,
    "bitbucket.org": _BITBUCKET,
    "git.sr.ht": _SOURCEHUT,
}
# A host of one's own is told by the first part of its name; any other needs `link`.
_FIRST_LABELS = {"gitlab": _GITLAB, "forgejo": _FORGEJO, "gitea": _FORGEJO}
_SSH_HOSTS = {"ssh.github.com": "github.com", "altssh.gitlab.com": "gitlab.com"}


@dataclass(frozen=True, slots=True)
class FileLinks:
    """Addresses in one repository; templates with {commit}, {path}, {start}, {end}.

    Attributes:
        page: Of a file, without lines; "" where the repository has no public address.
        raw: Of a file's content; "" where the host is not known.
        code_lines: Of lines of a file that is shown as it is.
        prose_lines: Of lines of a file that is shown as formatted text.
        has_heading_ids: Whether a heading of a Markdown file can be opened by GitHub's id.
    """

    page: str = ""
    raw: str = ""
    code_lines: str = ""
    prose_lines: str = ""
    has_heading_ids: bool = False

    def page_url(self, commit: str, name: bytes) -> str | None:
        """Address of a file, or None."""
        return _filled(self.page, commit, name) or None

    def raw_url(self, commit: str, name: bytes) -> str:
        """Address of a file's content, or ""."""
        return _filled(self.raw, commit, name)

    def lines_url(self, commit: str, name: bytes, *, is_prose: bool) -> str:
        """Address with `{start}` and `{end}` left open, or ""."""
        return _filled(self.prose_lines if is_prose else self.code_lines, commit, name)


def file_links(repository: Repository, address: Address) -> FileLinks:
    """How files of the repository are linked: by `link`, else by its host.

    A local repository has no public address, whatever its own remotes are: without `link` it is
    cited by name and path.

    Raises:
        ConfigurationError: `link` is no web address, or has a placeholder that nobody fills.
    """
    if repository.link:
        return _own_links(repository)
    host = _SSH_HOSTS.get(address.host, address.host)
    form = _HOSTS.get(host) or _FIRST_LABELS.get(host.split(".", 1)[0])
    if form is None or address.transport == "file" or "/" not in address.path:
        return FileLinks()
    root = f"https://{host}/{quote(address.path, safe=_SAFE)}".replace("{", "%7B")
    page, raw = (template.replace("{root}", root) for template in (form.page, form.raw))
    lines, prose_lines = page + form.lines, page + form.prose_lines
    return FileLinks(page, raw, lines, prose_lines, form.has_heading_ids)


def _own_links(repository: Repository) -> FileLinks:
    link = repository.link
    unknown = sorted(set(_PLACEHOLDER.findall(link)) - _KNOWN)
    if unknown or "{path}" not in link or not link.startswith(("https://", "http://")):
        wrong = f"{unknown[0]} is unknown" if unknown else "it needs https:// and {path}"
        raise ConfigurationError(
            f"[[repository]] {repository.source_name}: link {link!r} is no template: {wrong}; "
            "known are {commit}, {path}, {start} and {end}"
        )
    page = re.split(r"[#?](?=[^#?]*\{(?:start|end)\})", link, maxsplit=1)[0]
    lines = link if "{start}" in link else ""
    return FileLinks(page, "", lines, lines)


def _filled(template: str, commit: str, name: bytes) -> str:
    return template.replace("{commit}", commit).replace("{path}", quote(name, safe=_SAFE))
