"""The command line: one function a subcommand; each imports the package that does the work.

Exit codes: 0 done; 1 failed, what served before still serves; 2 the command or the configuration
is wrong; 3 refused for safety without --yes; 4 done, but something could not be read.
"""

import json
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

if TYPE_CHECKING:
    from ingestion.link_checks import LinkCheck
    from ingestion.report import SyncReport
    from retrieval.configuration import Configuration
    from retrieval.errors import AskfolioError
    from service.schemas import AskResponse

EXIT_FAILED = 1
EXIT_WRONG = 2
EXIT_REFUSED = 3

app = typer.Typer(
    name="askfolio",
    help="Ask a portfolio site, and the repositories behind it, anything.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
log_app = typer.Typer(
    help="What visitors let the service keep: show or delete it.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
app.add_typer(log_app, name="log")

Config = Annotated[
    Path | None,
    typer.Option("--config", help="Configuration file; default: askfolio.toml in this folder."),
]
AsJson = Annotated[
    bool, typer.Option("--json", help="One JSON document on stdout; messages on stderr.")
]


@app.command(epilog="Example: cd my-site && askfolio init")
def init(config: Config = None) -> None:
    """Write askfolio.toml for the site in this folder."""
    with _errors():
        from ingestion.starting import write_first_configuration

        file = _file(config)
        kind = write_first_configuration(file)
    found = f"a site of kind {kind}" if kind != "none" else "no site"
    typer.echo(f"wrote {file}: found {found}. Next: askfolio sync")


@app.command(epilog="Example: askfolio add https://codeberg.org/ada/engine.git --name engine")
def add(
    source: Annotated[
        str, typer.Argument(help="URL or path of a Git repository; with --all a user's address.")
    ],
    ref: Annotated[str, typer.Option(help="Branch, tag or commit; default: its own.")] = "",
    include: Annotated[list[str] | None, typer.Option(help="Glob; may be repeated.")] = None,
    name: Annotated[str, typer.Option(help="Name of the source; default: from the URL.")] = "",
    token_env: Annotated[str, typer.Option(help="Variable that holds a token.")] = "",
    public: Annotated[
        bool, typer.Option("--public", help="Visitors may read what credentials protect.")
    ] = False,
    every: Annotated[
        bool, typer.Option("--all", help="Every repository of a user or an organisation.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would be ingested, write nothing.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="With --all: add what is shown.")] = False,
    as_json: AsJson = False,
    config: Config = None,
) -> None:
    """Add a repository to askfolio.toml after showing what would be ingested."""
    if every:
        if ref or name or public:
            raise typer.BadParameter("--all goes with --include, --token-env, --dry-run and --yes")
        _add_all(source, tuple(include or ()), token_env, yes and not dry_run, as_json, config)
        return
    with _errors(as_json):
        from ingestion.preview import preview
        from ingestion.repository_blocks import add_repositories, repository_block

        configuration, file = _configuration(config), _file(config)
        repository = repository_block(
            source,
            configuration.folder,
            ref=ref,
            include=tuple(include or ()),
            name=name,
            token_env=token_env,
            public=public,
        )
        found = preview(configuration, file, repository, _time(""))
        if not dry_run:
            add_repositories(file, [repository])
    if as_json:
        _print_json(found.to_json(added=not dry_run))
        return
    _print_lines(found.lines())
    typer.echo("nothing was written" if dry_run else f"added to {file}. Next: askfolio sync")


def _add_all(
    source: str,
    include: tuple[str, ...],
    token_env: str,
    yes: bool,
    as_json: bool,
    config: Path | None,
) -> None:
    with _errors(as_json):
        from ingestion.hosts.adding import offer
        from ingestion.repository_blocks import add_repositories

        configuration, file = _configuration(config), _file(config)
        found = offer(configuration, source, include=include, token_env=token_env)
        if yes and found.repositories:
            add_repositories(file, found.repositories)
    if as_json:
        _print_json(found.to_json(added=yes))
        return
    _print_lines(found.lines())
    done = f"added to {file}. Next: askfolio sync --dry-run" if yes else "--yes adds them"
    typer.echo(done if found.repositories else "nothing to add")


@app.command(epilog="Example: askfolio remove engine")
def remove(
    name: Annotated[str, typer.Argument(help="Name of a repository source.")],
    config: Config = None,
) -> None:
    """Take a repository out of askfolio.toml; the next sync deletes its documents."""
    with _errors():
        from ingestion.repository_blocks import remove_repository
        from ingestion.sources import clones_folder
        from ingestion.sources.repository import discard_copy

        file = _file(config)
        discard_copy(remove_repository(file, name), file.absolute().parent, clones_folder())
    typer.echo(f"removed {name} from {file}. Next: askfolio sync")


@app.command(epilog="Example: askfolio sync --dry-run")
def sync(
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would be done and its cost.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="A mass delete is meant.")] = False,
    now: Annotated[str, typer.Option(help="ISO time by which pages are due or expired.")] = "",
    source: Annotated[str | None, typer.Option(help="Read this source alone.")] = None,
    as_json: AsJson = False,
    config: Config = None,
) -> None:
    """Bring the knowledge folder in line with the sources: a step of the site's deploy."""
    with _errors(as_json):
        from ingestion.last_sync import recorded
        from ingestion.planning import SyncOptions
        from ingestion.run import synchronise

        configuration = _configuration(config)
        options = SyncOptions(now=_time(now), dry_run=dry_run, yes=yes, source=source)
        with recorded(configuration.knowledge_path, exit_code, dry_run=dry_run) as record:
            report = synchronise(configuration, options)
            record(report)
    _print_report(report, as_json)
    raise typer.Exit(report.exit_code)


@app.command(epilog="Example: askfolio rollback --hold")
def rollback(
    hold: Annotated[
        bool,
        typer.Option("--hold", help="Also: the next syncs build, but do not publish over it."),
    ] = False,
    release: Annotated[
        bool, typer.Option("--release", help="End a hold; publish what was built during it.")
    ] = False,
    as_json: AsJson = False,
    config: Config = None,
) -> None:
    """Serve the generation before the current one again, after checking that it is whole.

    A running service follows within seconds. Without --hold the next sync publishes again; with it
    only `askfolio rollback --release` does, whatever other options a sync is given.
    """
    if hold and release:
        raise typer.BadParameter("--hold and --release exclude each other")
    with _errors(as_json):
        from ingestion.rollback import release_hold, roll_back

        knowledge = _configuration(config).knowledge_path
        done = release_hold(knowledge) if release else roll_back(knowledge, hold=hold)
    _print_json(asdict(done)) if as_json else _print_lines(done.lines())


@app.command(epilog="Example: askfolio status --pages --json")
def status(
    pages: Annotated[bool, typer.Option("--pages", help="List every document.")] = False,
    verify: Annotated[bool, typer.Option("--verify", help="Compare every checksum.")] = False,
    check_links: Annotated[
        bool, typer.Option("--check-links", help="Compare our rules with the site's own Hugo.")
    ] = False,
    as_json: AsJson = False,
    config: Config = None,
) -> None:
    """Show what serves: counts, mode and why, sizes, cost, spending, the last sync."""
    with _errors(as_json):
        from ingestion.knowledge_folder import KnowledgeFolder
        from retrieval.generation import open_generation
        from retrieval.generation import verify as verify_generation
        from retrieval.status import page_rows, read_status
        from service.spending.day_file import read_spent

        configuration = _configuration(config)
        knowledge = configuration.knowledge_path
        rows = []
        if pages or verify:
            generation = open_generation(knowledge)
            if verify:
                verify_generation(generation)
            rows = page_rows(generation) if pages else []
            generation.close()
        state = read_status(
            configuration,
            spent=read_spent(knowledge),
            held=KnowledgeFolder(knowledge).held_at() is not None,
            verified=verify,
        )
        checks = _link_checks(configuration) if check_links else ()
    if pages:
        listed = [asdict(row) for row in rows]
        _print_json(listed) if as_json else _print_lines(
            f"{row.language or '-':6} {row.chunks:5} {row.url or row.path}  {row.title}"
            for row in rows
        )
        return
    if as_json:
        links = {"links": [check.to_json() for check in checks]} if check_links else {}
        _print_json(asdict(state) | links)
        return
    _print_lines(state.lines())
    for check in checks:
        _print_lines(check.lines())


@app.command(epilog='Example: askfolio search "tide gauge" -k 3 --json')
def search(
    query: Annotated[str, typer.Argument(help="What to search for.")],
    k: Annotated[int | None, typer.Option("-k", min=1, max=100, help="Results wanted.")] = None,
    mode: Annotated[
        Literal["auto", "hybrid", "dense", "keyword"],
        typer.Option(help="auto: hybrid, or keyword where no query can be embedded."),
    ] = "auto",
    source: Annotated[str | None, typer.Option(help="Only this source.")] = None,
    language: Annotated[str | None, typer.Option(help="Only this language.")] = None,
    kind: Annotated[str | None, typer.Option(help="Only page, data, code or text.")] = None,
    as_json: AsJson = False,
    config: Config = None,
) -> None:
    """Rank passages; always searches, whatever the size of the corpus."""
    with _errors(as_json):
        from retrieval.opening import open_retriever
        from service.search import search_response

        configuration = _configuration(config)
        with open_retriever(configuration) as (generation, retriever):
            retrieval = retriever.retrieve(
                query,
                k or configuration.retrieval.k,
                mode,
                source=source,
                language=language,
                kind=kind,
            )
            response = search_response(retrieval, generation)
    if retrieval.degraded:
        _say(f"keyword search: {retrieval.degraded}")
    if as_json:
        _print_json(response.model_dump())
        return
    for result in response.results:
        _print_lines(
            (
                f"{result.rank}. {result.url or result.path}  {result.title}",
                f"   {' '.join(result.text.split())[:160]}",
            )
        )


@app.command(epilog='Example: askfolio ask "What has she built with Go?"')
def ask(
    question: Annotated[str, typer.Argument(help="The question.")],
    language: Annotated[str | None, typer.Option(help="Language of the answer.")] = None,
    as_json: AsJson = False,
    config: Config = None,
) -> None:
    """Answer from the content, with citations."""
    with _errors(as_json):
        response = _answer(_configuration(config), question, language)
    if as_json:
        _print_json(response.model_dump())
    else:
        _print_lines(response.lines())


@app.command(epilog="Example: askfolio export llms.txt --out static/llms.txt")
def export(
    name: Annotated[
        Literal["knowledge.txt", "llms.txt", "llms-full.txt"], typer.Argument(help="Which file.")
    ],
    out: Annotated[Path | None, typer.Option(help="Where to; default: stdout.")] = None,
    as_json: AsJson = False,
    config: Config = None,
) -> None:
    """Write what serves as text for people, models and other programs."""
    with _errors(as_json):
        from ingestion.exporting import exported, write_out

        text = exported(_configuration(config), name)
        if out is not None:
            write_out(out, text.content)
    if as_json:
        _print_json(text.to_json(out))
    elif out is None:
        typer.echo(text.content.encode(), nl=False)
    else:
        _say(f"wrote {out}: {len(text.content.encode())} bytes from {text.generation}")


@app.command(epilog="Example: askfolio serve --port 8000")
def serve(
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on.")] = 8000,
    workers: Annotated[
        int, typer.Option(min=1, max=64, help="Processes; each holds its own indexes.")
    ] = 1,
    config: Config = None,
) -> None:
    """Answer over HTTP until stopped."""
    with _errors():
        from service.server import serve as run_server

        run_server(_configuration(config), host, port, workers)


@log_app.command("summary", epilog="Example: askfolio log summary --since 7d")
def log_summary(
    since: Annotated[str, typer.Option(help="Days or weeks back: 7d, 4w.")] = "7d",
    as_json: AsJson = False,
    config: Config = None,
) -> None:
    """Show, as Markdown, what was asked and what no source answered."""
    with _errors(as_json):
        from service.visitor_log.summary import summarise

        found = summarise(_configuration(config), since)
    _print_json(asdict(found)) if as_json else _print_lines(found.lines())


@log_app.command("purge", epilog="Example: askfolio log purge")
def log_purge(
    everything: Annotated[
        bool, typer.Option("--all", help="Whatever its age, as after switching the log off.")
    ] = False,
    as_json: AsJson = False,
    config: Config = None,
) -> None:
    """Delete what is older than log.retention_days; the running service does so every hour."""
    with _errors(as_json):
        from service.visitor_log.keeping import VisitorLog

        log = VisitorLog(_configuration(config))
        deleted = log.purge_all() if everything else log.purge()
    _print_json({"deleted": deleted}) if as_json else typer.echo(f"deleted {deleted} rows")


@log_app.command("erase", epilog="Example: askfolio log erase 7Qb...")
def log_erase(
    receipt: Annotated[str, typer.Argument(help="As the answer gave it to the visitor.")],
    as_json: AsJson = False,
    config: Config = None,
) -> None:
    """Delete the question that a visitor's receipt stands for."""
    with _errors(as_json):
        from service.visitor_log.keeping import VisitorLog

        erased = VisitorLog(_configuration(config)).erase(receipt)
    if as_json:
        _print_json({"erased": erased})
    else:
        typer.echo("erased" if erased else "nothing is kept under this receipt")


@app.command(epilog="Example: askfolio bench --knowledge knowledge --plots plots")
def bench(
    n: Annotated[str, typer.Option(help="Sizes in chunks, with commas.")] = "1000,10000",
    dim: Annotated[int, typer.Option(help="Dimension of synthetic vectors.")] = 1024,
    vectors: Annotated[
        Path | None, typer.Option(help=".npy file of vectors in place of synthetic ones.")
    ] = None,
    knowledge: Annotated[
        Path | None, typer.Option(help="Your own knowledge folder in place of a synthetic corpus.")
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Under a minute.")] = False,
    unclustered: Annotated[
        bool, typer.Option("--unclustered", help="Vectors without clusters: the worst case.")
    ] = False,
    dense: Annotated[
        str, typer.Option(help="Kinds of dense index beside flat, with commas.")
    ] = "sq8,ivf-pq",
    queries: Annotated[int, typer.Option(help="Different queries.")] = 100,
    repeats: Annotated[int, typer.Option(help="How often each query runs.")] = 5,
    seed: Annotated[int, typer.Option(help="Of vectors and queries.")] = 1,
    out: Annotated[Path | None, typer.Option(help="File for the raw results.")] = None,
    plots: Annotated[Path | None, typer.Option(help="Folder for the plots.")] = None,
    work: Annotated[
        Path | None, typer.Option(help="Folder that keeps a synthetic corpus for the next run.")
    ] = None,
    shown: Annotated[
        Path | None, typer.Option("--show", help="Print an earlier result and stop.")
    ] = None,
) -> None:
    """Time the kinds of index at sizes, or on your own knowledge, and say which to choose."""
    with _errors():
        from bench import command
        from bench.measurement import BenchOptions

        if shown:
            command.show_file(shown, plots)
            return
        options = BenchOptions(
            sizes=_sizes(n),
            dimension=dim,
            queries=queries,
            repeats=repeats,
            seed=seed,
            clustered=not unclustered,
            dense=tuple(dict.fromkeys(("flat", *filter(None, dense.split(","))))),
            vectors=vectors,
            knowledge=knowledge,
            work=work,
            out=out,
        )
        command.run(command.quick(options) if quick else options, plots)


def _sizes(text: str) -> tuple[int, ...]:
    try:
        return tuple(int(size) for size in text.split(","))
    except ValueError:
        raise typer.BadParameter(f"--n {text!r} is no list of numbers") from None


@app.command(epilog="Example: askfolio demo --once")
def demo(
    once: Annotated[bool, typer.Option("--once", help="Stop after the answers.")] = False,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on.")] = 8000,
) -> None:
    """The whole path on the example site, offline: sync, ask, serve on loopback."""
    with _errors():
        from bench.demo import example_copy
        from ingestion.planning import SyncOptions
        from ingestion.run import synchronise

        with example_copy() as example:
            report = synchronise(example.configuration, SyncOptions(now=_time("")))
            _print_report(report, as_json=False)
            for configuration in (example.configuration, example.retrieving):
                for question in example.questions:
                    typer.echo(f"\n> {question}\n")
                    _print_lines(_answer(configuration, question, None).lines())
            if not once:
                from service.server import serve as run_server

                run_server(example.configuration, "127.0.0.1", port)


def exit_code(error: "AskfolioError") -> int:
    """What an error means for the shell."""
    from ingestion.errors import SourceMissing, SyncRefused
    from retrieval.errors import ConfigurationError, GenerationMissing

    if isinstance(error, SyncRefused):
        return EXIT_REFUSED
    if isinstance(error, ConfigurationError | SourceMissing | GenerationMissing):
        return EXIT_WRONG
    return EXIT_FAILED


def main() -> None:
    """Entry point of the console script."""
    app()


@contextmanager
def _errors(as_json: bool = False) -> Iterator[None]:
    from retrieval.errors import AskfolioError

    try:
        yield
    except AskfolioError as error:
        if as_json:
            _print_json({"error": {"code": _code(error), "message": str(error)}})
        _say(f"askfolio: {error}")
        raise typer.Exit(exit_code(error)) from None
    except KeyboardInterrupt:
        raise typer.Exit(130) from None


def _code(error: "AskfolioError") -> str:
    name = type(error).__name__
    return "".join(f"_{char.lower()}" if char.isupper() else char for char in name).lstrip("_")


def _configuration(config: Path | None) -> "Configuration":
    from retrieval.configuration import load_configuration

    return load_configuration(config)


def _file(config: Path | None) -> Path:
    from retrieval.configuration import FILE_NAME

    return config or Path(FILE_NAME)


def _answer(configuration: "Configuration", question: str, language: str | None) -> "AskResponse":
    import asyncio

    from service.opening import answer_once

    return asyncio.run(answer_once(configuration, question, language))


def _link_checks(configuration: "Configuration") -> "tuple[LinkCheck, ...]":
    from ingestion.link_checks import check_links

    return check_links(configuration, _time(""))


def _time(text: str) -> datetime:
    if not text:
        return datetime.now(UTC)
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        raise typer.BadParameter(f"--now {text!r} is no ISO 8601 time") from None
    return time if time.tzinfo else time.replace(tzinfo=UTC)


def _print_report(report: "SyncReport", as_json: bool) -> None:
    if as_json:
        _print_json(report.to_json())
        for notice in report.notices:
            _say(notice)
    else:
        _print_lines(report.lines())


def _print_json(value: object) -> None:
    from retrieval.terminal import shown_json

    sys.stdout.write(shown_json(json.dumps(value, ensure_ascii=False, indent=1)) + "\n")


def _print_lines(lines: Iterable[str]) -> None:
    from retrieval.terminal import shown

    for line in lines:
        typer.echo(shown(line))


def _say(message: str) -> None:
    from retrieval.terminal import shown

    typer.echo(shown(message), err=True)
