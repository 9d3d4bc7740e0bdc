"""What does a ranking look like to whoever searched, on the command line and over HTTP?"""

from retrieval.generation import Generation
from retrieval.types import RankedChunk, Retrieval
from service.schemas import SearchResponse, SearchResult


def search_response(retrieval: Retrieval, generation: Generation) -> SearchResponse:
    """The object of `askfolio search --json` and of `POST /search`."""
    return SearchResponse(
        mode=retrieval.mode,
        generation=generation.manifest.generation,
        results=[_result(rank, ranked) for rank, ranked in enumerate(retrieval.chunks, start=1)],
    )


def _result(rank: int, ranked: RankedChunk) -> SearchResult:
    chunk, document = ranked.chunk, ranked.document
    return SearchResult(
        rank=rank,
        score=ranked.score,
        dense_rank=ranked.dense_rank,
        keyword_rank=ranked.keyword_rank,
        chunk_id=chunk.chunk_id,
        source=document.source,
        kind=document.kind,
        path=document.path,
        url=chunk.url or document.url,
        title=document.title,
        headings=list(chunk.headings),
        language=document.language,
        start_line=chunk.start_line,
        end_line=chunk.end_line,
        text=chunk.text,
    )
