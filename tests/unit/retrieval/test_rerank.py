"""Each candidate gets the scores of both lanes, whichever of them found it."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import cast

import numpy as np
import pytest
from rankings import make_candidate

from retrieval.analyzer import analyze_query
from retrieval.bm25 import CorpusStatistics
from retrieval.candidate import Candidate
from retrieval.dense import score_choice
from retrieval.ladder import Rung
from retrieval.lexical import LexicalScorer
from retrieval.pack import Scores
from retrieval.rerank import Reranker
from retrieval.store import Snapshot, Vector

pytestmark = pytest.mark.anyio

STATISTICS = CorpusStatistics(
    document_count=100, average_length=4.0, document_frequency={"rare": 1, "common": 60}
)


@dataclass(slots=True)
class VectorTables:
    """The vectors of a snapshot, by table and id; `asked` keeps what was read."""

    vectors_by_table: dict[str, dict[str, list[float]]] = field(default_factory=dict)
    asked: list[tuple[str, frozenset[str]]] = field(default_factory=list)

    async def vectors(self, table: str, ids: Iterable[str]) -> dict[str, Vector]:
        wanted = frozenset(ids)
        self.asked.append((table, wanted))
        stored = self.vectors_by_table.get(table, {})
        return {name: np.array(stored[name], dtype=np.float32) for name in wanted & stored.keys()}


def make_reranker(tables: VectorTables, rung: Rung, *terms: str) -> Reranker:
    scorer = (
        LexicalScorer(analyze_query(" ".join(terms)), chunks=STATISTICS, pages=STATISTICS) if terms else None
    )
    return Reranker(snapshot=cast(Snapshot, tables), rung=rung, scorer=scorer)


def make_rung(level: str = "chunk", **fields: object) -> Rung:
    return Rung(**{"level": level, "steps": (), "coverage": 1.0, "vector": np.array([1.0, 0.0]), **fields})


def found(name: str, *terms: str, **scores: float) -> Candidate:
    candidate = replace(make_candidate(f"{name}.md", 0), chunk_id=f"c-{name}", page_id=f"p-{name}")
    return replace(candidate, terms=terms, scores=Scores(**scores))


async def measure(reranker: Reranker, *candidates: Candidate) -> dict[str, Scores]:
    return {item.chunk_id: item.scores for item in await reranker.measure(candidates)}


async def test_the_index_score_is_replaced_by_that_of_the_whole_corpus() -> None:
    reranker = make_reranker(VectorTables(), make_rung("lexical", vector=None), "rare", "common")
    scores = await measure(
        reranker,
        found("rare", "rare", "x", "y", "z", lexical=77.0),
        found("common", "common", "x", "y", "z", lexical=99.0),
        found("none", "x"),
    )
    rare, common, none = (scores[name].lexical for name in ("c-rare", "c-common", "c-none"))
    assert none == 0.0
    assert 0 < common < rare < 77.0
    assert {score.dense for score in scores.values()} == {None}


async def test_candidates_of_words_get_the_cosine_of_their_own_vector_else_of_their_page() -> None:
    tables = VectorTables(
        {
            "chunk_vectors": {"c-own": [0.6, 0.8]},
            "page_vectors": {"p-own": [0.0, 1.0], "p-page": [0.8, 0.6]},
        }
    )
    scores = await measure(
        make_reranker(tables, make_rung(), "rare"),
        found("own", "rare"),
        found("page", "rare"),
        found("neither", "rare"),
        found("near", dense=0.25),
    )
    dense = {name: score.dense for name, score in scores.items()}
    assert dense == {
        "c-own": pytest.approx(0.6),
        "c-page": pytest.approx(0.8),
        "c-neither": None,
        "c-near": 0.25,
    }
    assert tables.asked == [
        ("page_vectors", {"p-own", "p-page", "p-neither", "p-near"}),
        ("chunk_vectors", {"c-own", "c-page", "c-neither"}),
    ]


async def test_the_page_around_a_candidate_is_scored_by_both_lanes() -> None:
    tables = VectorTables({"page_vectors": {"p-one": [0.6, 0.8]}})
    first = replace(found("a", "rare", dense=0.25), page_id="p-one", page_terms=20)
    second = replace(found("b", "rare", "x"), page_id="p-one", page_terms=20)
    long = replace(found("c", "rare"), page_terms=400)
    one, other, alone = await make_reranker(tables, make_rung(), "rare").measure([first, second, long])
    assert one.page_scores == other.page_scores
    assert one.page_scores.dense == pytest.approx(0.6)
    assert alone.page_scores.dense is None
    assert (one.page_scores.lexical or 0) > (alone.page_scores.lexical or 0) > 0


async def test_at_the_level_page_only_page_vectors_count() -> None:
    tables = VectorTables(
        {"chunk_vectors": {"c-a": [1.0, 0.0]}, "page_vectors": {"p-a": [0.6, 0.8]}},
    )
    scores = await measure(make_reranker(tables, make_rung("page"), "rare"), found("a", "rare"))
    assert scores["c-a"].dense == pytest.approx(0.6)
    assert tables.asked == [("page_vectors", {"p-a"})]


async def test_a_choice_scores_the_pages_chosen_by_their_place() -> None:
    rung = make_rung("llm", vector=None, chosen=("p-first", "p-second"))
    tables = VectorTables()
    scores = await measure(
        make_reranker(tables, rung, "rare"), found("second"), found("first"), found("other")
    )
    assert {name: score.dense for name, score in scores.items()} == {
        "c-second": 0.75,
        "c-first": 1.0,
        "c-other": None,
    }
    assert tables.asked == []


async def test_without_words_there_is_no_lexical_score() -> None:
    scores = await measure(make_reranker(VectorTables(), make_rung()), found("a", "rare", dense=0.5))
    assert scores == {"c-a": Scores(dense=0.5)}


async def test_nothing_is_read_for_no_candidates() -> None:
    tables = VectorTables()
    assert await measure(make_reranker(tables, make_rung(), "rare")) == {}
    assert tables.asked == []


def test_places_of_a_choice_are_worth_less_one_after_the_other_down_to_a_half() -> None:
    assert score_choice(()) == {}
    assert score_choice(("a",)) == {"a": 1.0}
    assert score_choice(("a", "b", "c", "d")) == {"a": 1.0, "b": 0.875, "c": 0.75, "d": 0.625}
