"""Which of the chunks with one and the same text stands for the others?

Sites carry whole copies of pages: versions of a manual, translations that nobody has translated
yet. A visitor needs the text once.
"""

from collections.abc import Mapping, Sequence

from retrieval.fusion import FusedHit
from retrieval.types import RankedChunk


def without_twins(
    hits: Sequence[FusedHit], content_hashes: Mapping[int, bytes], k: int
) -> list[FusedHit]:
    """The k best hits, in their order; the first of equal chunks stands for its twins.

    A twin is given only where there are fewer than k different chunks: then nothing else is lost,
    and both addresses are seen.

    Args:
        hits: Best first.
        content_hashes: By row, of the embedded text.
        k: Hits wanted.
    """
    first: dict[bytes, int] = {}
    for hit in hits:
        first.setdefault(content_hashes[hit.row], hit.row)
    spare = max(0, k - len(first))
    kept: list[FusedHit] = []
    for hit in hits:
        if first[content_hashes[hit.row]] != hit.row:
            if not spare:
                continue
            spare -= 1
        kept.append(hit)
    return kept[:k]


def twin_key(ranked: RankedChunk) -> str:
    """Equal for chunks that say the same, as `ChunkStore.content_hashes` has it."""
    chunk = ranked.chunk
    return chunk.text if ranked.document.kind == "code" else chunk.content_hash


def different(hits: Sequence[FusedHit], content_hashes: Mapping[int, bytes]) -> int:
    """Number of different texts among the hits."""
    return len({content_hashes[hit.row] for hit in hits})
