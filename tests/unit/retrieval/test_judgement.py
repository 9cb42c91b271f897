"""What a ranking is judged by: the first candidate, its vector where that tells something, and its words."""

from dataclasses import replace

import numpy as np
import pytest
from rankings import make_candidate

from retrieval.analyzer import analyze, analyze_query
from retrieval.bm25 import CorpusStatistics
from retrieval.candidate import Candidate
from retrieval.judgement import Judge, Judgement
from retrieval.ladder import Rung
from retrieval.lexical import LexicalScorer
from retrieval.pack import Scores
from retrieval.relevance import CHOSEN, NAME_HELD, NAME_MISSING, Calibration, estimate_best

CALIBRATION = Calibration(cosine=9.0, held=3.0, offset=-6.0, floor=0.2)
VECTOR = np.array([1.0, 0.0], dtype=np.float32)
NEAR = Rung(level="chunk", steps=(), coverage=1.0, vector=VECTOR)
WORDS = Rung(level="lexical", steps=(), coverage=1.0)
CHOICE = Rung(level="llm", steps=(), coverage=1.0, chosen=("p",))


def make_scorer(query: str, *texts: str) -> LexicalScorer:
    terms = analyze_query(query, ("en",))
    documents = [set(analyze(text, "en")) for text in texts]
    frequency = {
        word: count for word in terms.words if (count := sum(word in document for document in documents))
    }
    statistics = CorpusStatistics(document_count=9, average_length=6.0, document_frequency=frequency)
    return LexicalScorer(terms, chunks=statistics, pages=statistics)


def found(text: str, dense: float | None = None) -> Candidate:
    candidate = replace(make_candidate("a.md", 0), terms=tuple(analyze(text, "en")), score=1.0)
    return replace(candidate, scores=Scores(dense=dense))


def judge(
    rung: Rung,
    query: str,
    text: str,
    *,
    dense: float | None = None,
    floor: float | None = None,
    foreign: bool = False,
) -> Judgement:
    judging = Judge(
        calibration=CALIBRATION, floor=floor, rung=rung, scorer=make_scorer(query, text), foreign=foreign
    )
    return judging.judge([found(text, dense)])


def test_the_first_candidate_is_judged_by_its_vector_and_its_words() -> None:
    judgement = judge(NEAR, "disk full", "the disk is full", dense=0.5)
    assert judgement == Judgement(best=estimate_best(CALIBRATION, cosine=0.5, held=1.0), floor=0.2)


@pytest.mark.parametrize(
    ("rung", "query", "foreign"),
    [(WORDS, "disk full", False), (NEAR, "disk full", True), (NEAR, "E-4712", False)],
    ids=["no vector", "foreign script", "an identifier"],
)
def test_words_decide_where_a_vector_tells_nothing(rung: Rung, query: str, foreign: bool) -> None:
    judgement = judge(rung, query, "E-4712: the disk is full", dense=-0.5, foreign=foreign)
    assert judgement.best == estimate_best(CALIBRATION, cosine=None, held=1.0) > 0.8


def test_identifiers_that_no_page_holds_have_no_answer() -> None:
    judgement = judge(NEAR, "error E-4711", "error E-4712", dense=0.9)
    assert judgement.best == NAME_MISSING < judgement.floor


def test_a_passage_that_holds_the_identifier_asked_for_is_likely_an_answer() -> None:
    words = "which page says more of whatever path:E-4712 is about"
    assert judge(NEAR, words, "E-4712", dense=0.1).best < NAME_HELD
    assert judge(NEAR, "path:E-4712", "E-4712", dense=0.1).best == NAME_HELD
    assert judge(NEAR, "path:E-4712", "the path of E-4711", dense=0.9).best < NAME_HELD


def test_a_choice_is_trusted_and_nothing_is_refused_without_vectors() -> None:
    assert judge(CHOICE, "other words", "the disk is full") == Judgement(best=CHOSEN, floor=0.0)
    assert judge(WORDS, "disk", "the disk is full", floor=0.5).floor == 0.0


def test_a_floor_fitted_to_the_wiki_goes_before_that_of_the_embedder() -> None:
    assert judge(NEAR, "disk", "the disk is full", dense=0.5, floor=0.5).floor == 0.5


def test_nothing_found_is_judged_as_nothing() -> None:
    judging = Judge(calibration=CALIBRATION, floor=None, rung=NEAR, scorer=None, foreign=False)
    assert judging.judge([]) == Judgement(best=0.0, floor=0.2)
    assert judging.judge([]).apply([]) == ()


def test_scores_become_probabilities_and_stay_in_order() -> None:
    ranked = [
        replace(make_candidate(f"{name}.md", 0), score=score) for name, score in (("a", 0.8), ("b", 0.4))
    ]
    judgement = Judgement(best=0.6, floor=0.3)
    assert [candidate.score for candidate in judgement.apply(ranked)] == [0.6, pytest.approx(0.15)]
    assert judgement.least_ratio(None) == pytest.approx(0.3**0.5)
    assert judgement.least_ratio(0.15) == pytest.approx(0.5)
