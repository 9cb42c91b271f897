"""Laws of evidence that hold for any page and any budget."""

import hashlib
from random import Random

from fakes import FakeCounter
from hypothesis import assume, given
from hypothesis import strategies as st

from chunking.model import Span
from retrieval.candidate import Candidate
from retrieval.evidence import assemble
from retrieval.freshness import FreshnessCheck
from retrieval.pack import Scores
from retrieval.passages import select_passages
from retrieval.sighting import UNSEEN

COUNTER = FakeCounter()
LINES = st.text(st.sampled_from("ab #é中😀"), min_size=1, max_size=12).filter(str.strip)
BREAKS = st.sampled_from(["\n", "\r\n", "\r", "\n\n", "\r\n\r\n"])


def count_breaks(text: str) -> int:
    return text.replace("\r\n", "\n").replace("\r", "\n").count("\n")


def cut_page(lines: list[str], breaks: list[str]) -> tuple[str, list[Candidate]]:
    """Returns a page of these lines, each of which is a chunk of one section."""
    page, candidates = "", []
    for ordinal, (line, end) in enumerate(zip(lines, breaks, strict=True)):
        number = 1 + count_breaks(page)
        span = Span(char_start=len(page), char_end=len(page) + len(line), line_start=number, line_end=number)
        candidates.append(
            Candidate(
                chunk_id=f"c{ordinal}",
                page_id="p",
                path="p.md",
                title="P",
                heading_path=(),
                anchor="",
                ordinal=ordinal,
                section=0,
                span=span,
                text=line,
                text_sha256=hashlib.sha256(line.encode()).hexdigest(),
                page_sha256="",
                tokens=1,
                modified=0.0,
                heading_only=False,
                score=0.5,
                scores=Scores(),
            )
        )
        page += line + end
    return page, candidates


@given(
    st.lists(st.tuples(LINES, BREAKS), min_size=1, max_size=6),
    st.integers(1, 8),
    st.integers(3, 40),
    st.randoms(),
)
def test_evidence_is_verbatim_in_budget_and_says_when_it_is_not_all(
    content: list[tuple[str, str]], k: int, max_tokens: int, shuffle: Random
) -> None:
    page, candidates = cut_page([line for line, _ in content], [end for _, end in content])
    shuffle.shuffle(candidates)
    assembled = assemble(
        select_passages(candidates, k=k),
        max_tokens=max_tokens,
        page_texts={"p": page},
        counter=COUNTER,
    )
    assembled = FreshnessCheck(wiki=None, counter=COUNTER, url_base="/").settle(assembled, UNSEEN)
    assume(assembled.evidence)
    assert [evidence.rank for evidence in assembled.evidence] == list(range(1, len(assembled.evidence) + 1))
    assert assembled.budget.tokens == sum(COUNTER.count([e.text for e in assembled.evidence])) <= max_tokens
    for evidence in assembled.evidence:
        citation = evidence.citation
        assert page[citation.char_start : citation.char_end] == evidence.text
        assert citation.line_start == 1 + count_breaks(page[: citation.char_start])
        assert citation.line_end == citation.line_start + count_breaks(evidence.text)
    quoted = [chunk_id for evidence in assembled.evidence for chunk_id in evidence.chunk_ids]
    assert len(set(quoted)) == len(quoted)
    wanted = {candidate.text_sha256 for candidate in candidates[:k]}
    assert assembled.budget.truncated or len(quoted) >= len(wanted)
