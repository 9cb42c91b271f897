"""Chunks: what fits stays whole, what does not is cut where it hurts least."""

import pytest
from fakes import FakeCounter

from chunking import Chunk, ChunkingOptions, parse_page

SENTENCE = "Alpha beta gamma delta epsilon zeta eta theta. "


def chunks_of(
    text: str, window: int = 64, path: str = "page.md", limit: int | None = None
) -> tuple[Chunk, ...]:
    options = ChunkingOptions(max_tokens=limit)
    return parse_page(path, text, options=options, counter=FakeCounter(window=window)).chunks


def lines_of(text: str, window: int = 64) -> list[tuple[int, int]]:
    return [(chunk.span.line_start, chunk.span.line_end) for chunk in chunks_of(text, window)]


def test_a_section_that_fits_is_one_chunk() -> None:
    (chunk,) = chunks_of("---\ntitle: T\n---\n\n# A\n\none\n\n- two\n")
    assert chunk.text == "# A\n\none\n\n- two"
    assert chunk.embedded_text == "T > A\none\n\n- two"
    assert (chunk.span.line_start, chunk.span.line_end) == (5, 9)
    assert chunk.tokens == 8


def test_a_heading_that_repeats_the_title_is_embedded_once() -> None:
    (chunk,) = chunks_of("---\ntitle: A\n---\n# A\nx\n")
    assert chunk.embedded_text == "A\nx"


def test_a_heading_alone_is_a_chunk() -> None:
    alone, full, unnamed = chunks_of("# A\n\n## B\n\nx\n\n#\n")
    assert (alone.heading_only, alone.text, alone.embedded_text) == (True, "# A", "A")
    assert (full.heading_only, full.embedded_text) == (False, "A > B\nx")
    assert (unnamed.heading_only, unnamed.embedded_text) == (True, "#")


def test_blanks_around_a_section_belong_to_no_chunk() -> None:
    (chunk,) = chunks_of("\n \n    code\n\n\t\n")
    assert chunk.text == "    code"


def test_nul_stays_in_the_text_and_out_of_what_is_embedded() -> None:
    (chunk,) = chunks_of("# N\0ul\n\nx\0y\n")
    assert chunk.text == "# N\0ul\n\nx\0y"
    assert chunk.embedded_text == "N\ufffdul\nx y"


def test_paragraphs_stay_whole() -> None:
    text = "# A\n\n" + (SENTENCE + "\n\n") * 20
    assert all(chunk.text.removeprefix("# A\n\n").count("theta.") >= 1 for chunk in chunks_of(text))
    assert all(chunk.text.endswith("theta.") for chunk in chunks_of(text))


def test_list_items_stay_whole() -> None:
    text = "".join(f"- item {number} has a few words\n  and goes on\n" for number in range(30))
    assert all(chunk.text.startswith("- item") for chunk in chunks_of(text))


def test_a_line_over_the_budget_is_cut_between_sentences() -> None:
    chunks = chunks_of(SENTENCE * 40)
    assert len(chunks) > 5
    assert all(chunk.text.startswith("Alpha") and chunk.text.endswith("theta.") for chunk in chunks)
    assert {(chunk.span.line_start, chunk.span.line_end) for chunk in chunks} == {(1, 1)}


def test_a_sentence_over_the_budget_is_cut_between_words() -> None:
    assert all(set(chunk.text.split()) == {"word"} for chunk in chunks_of("word " * 500))


def test_a_word_over_the_budget_is_cut_between_graphemes() -> None:
    family, accent = "\U0001f469\u200d\U0001f469\u200d\U0001f467", "e\u0301"
    chunks = chunks_of((family + accent) * 900)
    assert len(chunks) > 1
    assert all(chunk.text[0] in (family[0], "e") for chunk in chunks)
    assert all(chunk.text[-1] in (family[-1], "\u0301") for chunk in chunks)


def test_a_long_word_of_one_token_is_bounded_by_its_letters() -> None:
    assert max(len(chunk.text) for chunk in chunks_of("x" * 100_000)) <= 16 * 64


@pytest.mark.parametrize("closing", ["```\n\nend\n", ""])
def test_a_long_fence_is_cut_into_even_parts_without_lone_markers(closing: str) -> None:
    chunks = chunks_of("# L\n\n```py\n" + "value = compute(1, 2, 3)\n" * 3000 + closing)
    assert all(chunk.text.strip("`py\n") for chunk in chunks)
    inner = [chunk.tokens for chunk in chunks[1:-1]]
    assert min(inner) * 2 > max(inner)


def test_empty_fences_are_never_alone() -> None:
    text = ("words and words " * 4 + "\n\n```\n```\n\n") * 12
    assert all("words" in chunk.text for chunk in chunks_of(text))


def test_a_split_table_repeats_its_header_in_the_embedded_text() -> None:
    rows = "".join(f"| name {number} | value {number} |\n" for number in range(40))
    first, *others = chunks_of("# T\n\n| k | v |\n|---|---|\n" + rows)
    assert first.table_header is None
    assert first.text.startswith("# T\n\n| k | v |\n|---|---|\n| name 0")
    assert len(others) > 2
    for chunk in others:
        assert chunk.table_header == "| k | v |\n|---|---|"
        assert chunk.text.startswith("| name")
        assert chunk.embedded_text == f"T\n| k | v |\n|---|---|\n{chunk.text}"
        assert chunk.tokens <= 64


def test_a_heading_too_long_to_repeat_is_embedded_as_text() -> None:
    heading = "alpha " * 100
    chunks = chunks_of(f"# {heading}\n\nbody\n")
    assert sum(chunk.text.count("alpha") for chunk in chunks) == 100
    assert "alpha" in chunks[0].embedded_text.splitlines()[1]
    assert all(chunk.tokens <= 64 for chunk in chunks)


def test_the_limit_is_never_above_the_window() -> None:
    text = SENTENCE * 40
    assert max(chunk.tokens for chunk in chunks_of(text, limit=1000)) <= 64
    assert max(chunk.tokens for chunk in chunks_of(text, limit=30)) <= 30


def test_names_depend_on_place_and_words_but_not_on_position() -> None:
    one, two = chunks_of("# A\n\nx\n\n# A\n\nx\n")
    (moved,) = chunks_of("\n\n\n# A\n\nx\n")
    (elsewhere,) = chunks_of("# A\n\nx\n", path="other.md")
    assert one.chunk_id == moved.chunk_id
    assert len({one.chunk_id, two.chunk_id, elsewhere.chunk_id}) == 3
    assert len(one.chunk_id) == 32
    assert one.text_sha256 == two.text_sha256


@pytest.mark.parametrize("number", range(0, 60, 7))
def test_an_edit_inside_a_paragraph_changes_at_most_two_embedded_texts(number: int) -> None:
    paragraphs = [f"Topic {n * 37 % 101} opens with its own words. " + SENTENCE for n in range(60)]
    before = {chunk.embedded_text for chunk in chunks_of("# A\n\n" + "\n\n".join(paragraphs))}
    paragraphs[number] = paragraphs[number].replace("gamma", "an entirely different set of words")
    after = chunks_of("# A\n\n" + "\n\n".join(paragraphs))
    assert len(before) > 20
    assert sum(chunk.embedded_text not in before for chunk in after) <= 2


def test_a_long_line_takes_few_calls_of_the_counter() -> None:
    counter = _CallCounter(window=64)
    parse_page("a.md", "word " * 50_000, options=ChunkingOptions(), counter=counter)
    assert counter.calls < 20


class _CallCounter(FakeCounter):
    calls = 0

    def count(self, texts: list[str]) -> list[int]:
        self.calls += 1
        return super().count(texts)
