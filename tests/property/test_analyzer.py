"""Laws of the analyzer that hold for any text."""

from hypothesis import given
from hypothesis import strategies as st

from retrieval.analyzer import MAX_QUERY_TERMS, analyze, analyze_query
from retrieval.language import LANGUAGES, UNDETERMINED
from retrieval.query_terms import QueryTerms
from retrieval.scripts import fold, normalise
from retrieval.words import LONGEST_TERM

# Text in the characters that the rules speak of, and any text at all, lone surrogates included.
TELLING = "abC1_-.:/\\@+#&'’ éøßİ字接ーカ검ก็ทำ\u0301\u200d\u200b\u00ad😀´ſﬁ\n"
# What ends words in languages that inflect, for stems to come off.
INFLECTED = "aeiounslrtmgd ãçőşıışлиаямιςουةاتेंोंյի"
TEXTS = st.text(st.sampled_from(TELLING)) | st.text(st.characters(exclude_categories=())) | st.text(INFLECTED)
LANGUAGE = st.sampled_from([UNDETERMINED, *sorted(LANGUAGES)])


def is_answered(query: QueryTerms, terms: list[str]) -> bool:
    """Says whether a page with these terms holds each word of the query."""
    return set(query.words) <= set(query.name(terms))


@given(TEXTS, LANGUAGE)
def test_terms_are_clean_and_bounded(text: str, language: str) -> None:
    for term in analyze(text, language):
        assert term.split() == [term]
        assert len(term) <= LONGEST_TERM
        term.encode()


@given(TEXTS, LANGUAGE, st.sets(LANGUAGE, max_size=4), st.data())
def test_query_for_a_stretch_of_words_asks_for_words_of_the_text(
    text: str, language: str, others: set[str], data: st.DataObject
) -> None:
    words = text.split()
    start = data.draw(st.integers(0, len(words)))
    stretch = " ".join(words[start : data.draw(st.integers(start, len(words)))])
    assert is_answered(analyze_query(stretch, {language, *others}), analyze(text, language))


@given(TEXTS, LANGUAGE)
def test_query_typed_without_diacritics_asks_for_words_of_the_text(text: str, language: str) -> None:
    text = text.lower()  # the case of letters tells the parts of a name
    typed = " ".join(fold(word) for word in normalise(text).split())
    assert is_answered(analyze_query(typed, [language]), analyze(text, language))


@given(st.text(st.sampled_from("字接口调用검색기กทง")), st.data())
def test_any_part_of_an_unspaced_text_is_found_by_it(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    part = text[start : data.draw(st.integers(start, len(text)))]
    assert is_answered(analyze_query(part), analyze(text))


@given(TEXTS, st.sets(LANGUAGE, max_size=4))
def test_query_terms_are_distinct_and_capped(text: str, languages: set[str]) -> None:
    query = analyze_query(text, languages)
    assert len(set(query.words)) == len(query.words) <= len(query.forms)
    assert len(set(query.forms)) == len(query.forms) <= MAX_QUERY_TERMS


@given(TEXTS, st.lists(LANGUAGE, min_size=1, max_size=4))
def test_query_does_not_depend_on_the_order_of_the_languages(text: str, languages: list[str]) -> None:
    assert analyze_query(text, languages) == analyze_query(text, reversed(languages))


@given(TEXTS, LANGUAGE)
def test_analysis_depends_on_nothing_but_text_and_language(text: str, language: str) -> None:
    assert analyze(text, language) == analyze(text, language)
    assert analyze(f"{text} {text}", language) == analyze(text, language) * 2
