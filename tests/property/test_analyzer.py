"""Laws of the analyzer that hold for any text."""

from hypothesis import given
from hypothesis import strategies as st

from retrieval.analyzer import MAX_QUERY_TERMS, analyze, analyze_query
from retrieval.words import LONGEST_TERM

# Text in the characters that the rules speak of, and any text at all, lone surrogates included.
TELLING = "abC1_-.:/\\@+#&'’ éøßİ字接ーカ검ก็ทำ\u0301\u200d\u200b\u00ad😀´ſﬁ\n"
TEXTS = st.text(st.sampled_from(TELLING)) | st.text(st.characters(exclude_categories=()))


@given(TEXTS)
def test_terms_are_clean_and_bounded(text: str) -> None:
    for term in analyze(text):
        assert term.split() == [term]
        assert len(term) <= LONGEST_TERM
        term.encode()


@given(TEXTS, st.data())
def test_query_for_a_stretch_of_words_asks_for_terms_of_the_text(text: str, data: st.DataObject) -> None:
    words = text.split()
    start = data.draw(st.integers(0, len(words)))
    stretch = " ".join(words[start : data.draw(st.integers(start, len(words)))])
    assert set(analyze_query(stretch)) <= set(analyze(text))


@given(st.text(st.sampled_from("字接口调用검색기กทง")), st.data())
def test_any_part_of_an_unspaced_text_is_found_by_it(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    part = text[start : data.draw(st.integers(start, len(text)))]
    assert set(analyze_query(part)) <= set(analyze(text))


@given(TEXTS)
def test_query_terms_are_distinct_and_capped(text: str) -> None:
    terms = analyze_query(text)
    assert len(set(terms)) == len(terms) <= MAX_QUERY_TERMS


@given(TEXTS)
def test_analysis_depends_on_nothing_but_the_text(text: str) -> None:
    assert analyze(text) == analyze(text)
    assert analyze(f"{text} {text}") == analyze(text) * 2
