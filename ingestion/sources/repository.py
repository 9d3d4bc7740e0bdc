"""A Git repository as a source: its READMEs, docs and code at one commit."""

from dataclasses import dataclass
from pathlib import Path

from ingestion.errors import SourceUnreachable
from ingestion.git.address import check_public, repository_address
from ingestion.git.attributes import read_attributes
from ingestion.git.clone import Clone, CloneDamaged, clone_folder, current_clone, discard_clone
from ingestion.git.documents import DocumentMaker
from ingestion.git.file_reading import read_file
from ingestion.git.found_files import EarlierFiles, FoundFiles
from ingestion.git.globs import PathPatterns
from ingestion.git.links import file_links
from ingestion.git.program import Git
from ingestion.git.read_state import ReadState, parse_state, reading_rules
from ingestion.git.remote import remote_head
from ingestion.git.selection import Selection, choose
from ingestion.git.tree import changed_names, list_tree, open_blobs, shown_path
from ingestion.sources.base import KnownSource, Listing, ReportProgress, no_progress
from retrieval.configuration import Repository
from retrieval.errors import ConfigurationError
from retrieval.types import Skipped

MAX_TEXT_BYTES = 128 << 20
"""All texts of one repository together; they are held in memory during a sync."""


@dataclass(frozen=True, slots=True)
class ReachedRepository:
    """What a remote answered; both are "" for a repository without a commit."""

    default_branch: str
    commit: str


def reachable(repository: Repository, folder: Path) -> ReachedRepository:
    """Ask the remote for the commit that would be read; nothing is transferred.

    Args:
        repository: The block.
        folder: What a relative path is relative to.

    Raises:
        ConfigurationError: An address or ref that git must not be given.
        SourceUnreachable: The remote does not answer or lacks the ref.
    """
    address = repository_address(repository, folder)
    with address.open_git(repository.token_env) as git:
        head = remote_head(git, address, repository.ref)
        if head is not None and head.wanted == head.commit:  # a pinned commit asks nobody
            remote_head(git, address, "")
    return ReachedRepository(head.branch, head.commit) if head else ReachedRepository("", "")


def discard_copy(repository: Repository, folder: Path, clones: Path) -> None:
    """Delete the local copy of a repository that is a source no longer.

    Raises:
        SourceUnreachable: It cannot be deleted.
    """
    try:
        address = repository_address(repository, folder)
    except ConfigurationError:  # of such an address there is none
        return
    discard_clone(clone_folder(address, repository.ref, clones))


class GitRepository:
    """Reads the commit of a repository from a local copy that it keeps up to date.

    Nothing is ever checked out: a symbolic link, a hook, a filter or a submodule of the repository
    is data. A local repository is read as committed, not as it lies on the disk.
    """

    def __init__(
        self,
        repository: Repository,
        folder: Path,
        clones: Path,
        known: KnownSource = KnownSource(),  # noqa: B008  (frozen)
    ) -> None:
        """Check the block.

        Args:
            repository: The configuration block.
            folder: What a relative path is relative to.
            clones: Folder of the local copies.
            known: What is stored of it.

        Raises:
            ConfigurationError: The address, ref, link or a pattern is wrong, or the source needs
                credentials and its block does not say `public = true`.
        """
        self._repository = repository
        self._name = repository.source_name
        self._clones = clones
        self._address = repository_address(repository, folder)
        check_public(repository, self._address)
        self._links = file_links(repository, self._address)
        self._selection = Selection(
            PathPatterns(repository.include), PathPatterns(repository.exclude)
        )
        self._known = known
        self._commit = ""

    @property
    def name(self) -> str:
        """Name of the source."""
        return self._name

    @property
    def commit(self) -> str:
        """Full id of the commit that was listed; "" before, and for an empty repository."""
        return self._commit

    def listing(self, report: ReportProgress = no_progress) -> Listing:
        """Bring the local copy up to date and read the files of the commit.

        Each file is either a document or skipped with a reason; a document may be skipped in part
        (`secret: line … left out`). What is known and the same in this commit is not read: no file
        where the commit itself is known, else those that differ between the two trees.

        Raises:
            SourceUnreachable: The remote does not answer, lacks the ref, or is too large.
        """
        with self._address.open_git(self._repository.token_env) as git:
            try:
                return self._read_current(git, report)
            except CloneDamaged:
                discard_clone(clone_folder(self._address, self._repository.ref, self._clones))
            try:
                return self._read_current(git, report)
            except CloneDamaged as error:
                raise SourceUnreachable(
                    f"{self._address.shown} cannot be read, even from a new copy: {error}"
                ) from error

    def _read_current(self, git: Git, report: ReportProgress) -> Listing:
        head = remote_head(git, self._address, self._repository.ref)
        if head is None:
            self._commit = ""
            return Listing((), (Skipped(self.name, "", "empty: the repository has no commit"),))
        rules = reading_rules(self._repository)
        before = parse_state(self._known.state, rules) if self._known.state else None
        if before is not None and before.commit == head.commit:
            self._commit = head.commit
            return self._as_before(before)
        clone = current_clone(git, self._address, self._repository.ref, self._clones, head)
        found = FoundFiles(self.name, self._known.documents)
        entries = list_tree(git, clone)
        earlier = self._earlier(git, clone, before)
        attributes = read_attributes(git, clone, entries)
        maker = DocumentMaker(self.name, clone.commit, self._links)
        with open_blobs(git, clone) as blobs:
            choices = choose(entries, attributes, self._selection, blobs)
            for done, choice in enumerate(choices, start=1):
                if not (earlier and found.take_over(choice, earlier)):
                    found.add(choice, read_file(choice, blobs, maker))
                    self._check_size(found.size_bytes)
                report(done, len(entries))
        self._commit = clone.commit
        return found.listing(rules, clone.commit)

    def _as_before(self, before: ReadState) -> Listing:
        skipped = tuple(Skipped(self.name, one.path, one.reason) for one in before.left_out)
        return Listing((), skipped, (), self._known.documents, self._known.state)

    def _earlier(self, git: Git, clone: Clone, before: ReadState | None) -> EarlierFiles | None:
        """What need not be read, by the difference of two trees; None where all must be."""
        changed = changed_names(git, clone, before.commit) if before else None
        if before is None or changed is None:
            return None
        if any(name.rpartition(b"/")[2] == b".gitattributes" for name in changed):
            return None
        return EarlierFiles(frozenset(map(shown_path, changed)), before.by_content())

    def _check_size(self, size_bytes: int) -> None:
        if size_bytes > MAX_TEXT_BYTES:
            raise SourceUnreachable(
                f"{self._address.shown} holds more than {MAX_TEXT_BYTES >> 20} MiB of text: choose "
                "a part with include and exclude in its block"
            )
