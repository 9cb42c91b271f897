"""The terms of names, scripts and stop words; one table a subject."""

import sys
import time

import pytest

from retrieval.analyzer import (
    HEADING_WEIGHT,
    MAX_QUERY_TERMS,
    TITLE_WEIGHT,
    analyze,
    analyze_query,
    chunk_terms,
)
from retrieval.words import LONGEST_TERM


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("DEC-0054", ["dec-0054", "dec", "0054"]),
        ("-0054", ["0054"]),
        ("apply_secrets", ["apply_secrets", "appli", "secret"]),
        ("v1.2.3", ["v1.2.3", "v1", "2", "3"]),
        ("zorb51a", ["zorb51a"]),
        ("C", ["c"]),
        ("C++", ["c++"]),
        ("C#", ["c#"]),
        ("C++17", ["c++17", "c++", "17"]),
        (".NET", [".net", "net"]),
        ("C#/.NET", ["c#/.net", "c#", ".net", "net"]),
        ("notepad++", ["notepad++", "notepad"]),
        ("foo::bar", ["foo::bar", "foo", "bar"]),
        ("joe@x.org", ["joe@x.org", "joe", "x.org", "x", "org"]),
        ("ops/deploy.md", ["ops/deploy.md", "op", "deploy.md", "deploy", "md"]),
        (r"C:\temp\log", [r"c:\temp\log", "c", "temp", "log"]),
        ("https://a.io/b", ["https://a.io/b", "https", "a.io", "a", "io", "b"]),
        ("AT&T", ["at&t", "at", "t"]),
        ("page#heading", ["page#heading", "page", "head"]),
        ("#tag", ["tag"]),
        ("__init__", ["init"]),
        ("db02d35aa1", ["db02d35aa1", "db02d35"]),
        ("DB02D35A", ["db02d35a", "db02d35"]),
        ("deadbeef 20240501 b02d35a", ["deadbeef", "20240501", "b02d35a"]),
        ("x = y;", ["x", "y"]),
    ],
)
def test_identifier_gives_whole_and_parts(text: str, terms: list[str]) -> None:
    assert analyze(text) == terms


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("getUserName", ["getusernam", "get", "user", "name"]),
        ("HTTPServer", ["httpserver", "http", "server"]),
        ("URLs", ["url"]),
        ("GitHub", ["github", "git", "hub"]),
        ("Server2Go", ["server2go"]),
    ],
)
def test_camel_case_is_split_between_letters_only(text: str, terms: list[str]) -> None:
    assert analyze(text) == terms


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("don't", ["don"]),
        ("don’t", ["don"]),
        ("l'homme", ["homm"]),
        ("O'Brien's", ["brien"]),
        ("C's", ["c"]),
        ("it's we're", ["it", "we", "re"]),
        ("the dogs' 'tails'", ["the", "dog", "tail"]),
    ],
)
def test_apostrophe_separates_and_its_single_letter_is_dropped(text: str, terms: list[str]) -> None:
    assert analyze(text) == terms


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("ＡＰＩ", "api"),
        ("naïve", "naive"),
        ("cafe\u0301", "café"),
        ("Straße", "STRASSE"),
        ("ŁÓDŹ", "lodz"),
        ("İstanbul", "istanbul"),
        ("ΆΛΦΑ", "αλφα"),
        ("soft\u00adhyphen", "softhyphen"),
        ("dec‑0054", "dec-0054"),
        ("dec–0054", "dec-0054"),
        ("dec−0054", "dec-0054"),
        ("١٢٣ ४५ ๖", "123 45 6"),
        ("第３章", "第3章"),
        ("مُحَمَّد", "محمد"),
        ("مـحـمـد", "محمد"),
        ("עִבְרִית", "עברית"),
        ("Ёлка", "елка"),
        ("ｶﾞ", "ガ"),
        ("deploying", "deployed"),
    ],
)
def test_spellings_of_one_word_share_their_terms(text: str, other: str) -> None:
    assert analyze(text) == analyze(other) != []


def test_diacritics_of_other_scripts_distinguish_words() -> None:
    assert analyze("йод") != analyze("иод")


def test_unspaced_letters_give_characters_and_pairs_to_the_index_and_pairs_to_a_query() -> None:
    assert analyze("关键词") == ["关", "键", "词", "关键", "键词"]
    assert analyze_query("关键词").forms == ("关键", "键词")
    assert analyze_query("词").forms == ("词",)


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("中文关键词召回效果不好。", "关键词召回"),
        ("開始ユーザー認証完了を確認する。", "認証"),
        ("開始ユーザー認証完了を確認する。", "ユーザー"),
        ("전문검색기능을 설정합니다.", "검색"),
        ("调用API接口前先登录。", "API接口"),
        ("调用API接口前先登录。", "接口"),
        ("การทำงานของระบบ", "ทำงาน"),
        ("ພາສາລາວ", "ລາວ"),
        ("ភាសាខ្មែរ", "ខ្មែរ"),
        ("မြန်မာစာ", "မြန်မာ"),
    ],
)
def test_part_of_an_unspaced_text_is_found(text: str, query: str) -> None:
    wanted = analyze_query(query).forms
    assert wanted
    assert set(wanted) <= set(analyze(text))


def test_other_pair_of_letters_is_not_found() -> None:
    assert not set(analyze_query("银行").forms) & set(analyze("中文关键词召回效果不好"))


def test_mixed_scripts_are_split_at_their_border() -> None:
    assert analyze("API接口") == ["api", "接", "口", "接口"]


def test_emoji_are_terms() -> None:
    assert analyze("plain 😀 ❤️ 🇩🇪") == ["plain", "😀", "❤", "🇩🇪"]


@pytest.mark.parametrize(
    "text", ["", " ", "\u3000", "\u200b", "!!!", "...", "---", "?", "***", "++ # ::", "\u0301"]
)
def test_text_without_letters_or_digits_gives_no_terms(text: str) -> None:
    assert analyze(text) == []
    assert not analyze_query(text)


@pytest.mark.parametrize(
    "query",
    [
        'who is "waldo73"?',
        "waldo73: failed, Message: {0}, Trace: {1}",
        "waldo73 AND (",
        "waldo73 & -failed",
        "path:waldo73",
        "waldo73*",
        "waldo73~2^3",
        "[waldo73 TO x]",
        "\\waldo73\\",
        "/waldo73/",
        "'; DROP TABLE chunks; -- waldo73",
        "waldo73\x00",
        "\ud800waldo73",
    ],
)
def test_query_is_words_never_a_language(query: str) -> None:
    assert "waldo73" in analyze_query(query).forms


def test_query_drops_stop_words_only_when_others_remain() -> None:
    assert analyze_query("what does the compiler do").words == ("compil",)
    assert analyze_query("the and of").words == ("the", "and", "of")
    assert analyze("the compiler") == ["the", "compil"]


def test_query_has_each_term_once() -> None:
    assert analyze_query("red Red RED blue").words == ("red", "blue")


def test_long_query_keeps_its_longest_terms() -> None:
    filler = " ".join(f"w{number}" for number in range(2 * MAX_QUERY_TERMS))
    kept = analyze_query(f"{filler} zorbtheword101").words
    assert len(kept) == MAX_QUERY_TERMS
    assert kept[-1] == "zorbtheword101"


def test_query_of_a_repeated_word_keeps_its_last_one() -> None:
    assert analyze_query("lorem " * 660 + "zorb101").words == ("lorem", "zorb101")


def test_long_word_is_cut_and_long_identifier_left_out() -> None:
    assert analyze("9" * 500) == ["9" * LONGEST_TERM]
    assert analyze("x1" * 100 + "-tail") == [("x1" * 100)[:LONGEST_TERM], "tail"]


def test_every_code_point_gives_clean_terms() -> None:
    """No character of any plane, alone or in a word, makes a term with white space in it."""
    for start in range(0, sys.maxunicode + 1, 0x1000):
        characters = [chr(point) for point in range(start, start + 0x1000)]
        for text in ("\n".join(characters), "a".join(characters)):
            for term in analyze(text):
                assert term.split() == [term]
                assert 0 < len(term) <= LONGEST_TERM
                term.encode()


def test_megabytes_without_a_space_take_bounded_time() -> None:
    started = time.process_time()
    for unit in ("a", "a-", "字", "A", ".", "é", "'a", "a\u0301"):
        analyze(unit * (200_000 // len(unit)))
    assert time.process_time() - started < 20


def test_chunk_terms_weigh_title_and_headings_above_the_body() -> None:
    terms = chunk_terms(
        title="Guide",
        heading_path=("Deploy", "Rollback"),
        file_name="how-to.md",
        body="press the button",
        table_header="| lamp |",
    )
    assert terms.count("guid") == TITLE_WEIGHT
    assert terms.count("rollback") == terms.count("deploy") == HEADING_WEIGHT
    assert [terms.count(term) for term in ("how-to", "how", "lamp", "button", "md")] == [1, 1, 1, 1, 0]


def test_chunk_without_any_text_has_no_terms() -> None:
    assert chunk_terms(title="", heading_path=(), file_name="", body="***", table_header=None) == []
