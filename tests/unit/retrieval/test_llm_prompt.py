"""What a language model is shown, and how its words become page ids."""

import json
import string

import pytest

from retrieval.llm.line import flatten
from retrieval.llm.port import ChooserError, PageCard
from retrieval.llm.prompt import Prompt, write_prompt
from retrieval.llm.reply import read_choice, read_content

CARDS = tuple(
    PageCard(page_id=f"id-{number}", path=f"ops/{number}.md", title=f"Page {number}", summary="words")
    for number in range(1, 4)
)


def question(prompt: Prompt) -> dict[str, object]:
    asked: dict[str, object] = json.loads(prompt.user)
    return asked


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (" two  words ", "two words"),
        ("a\r\nb\tc\x00d\x1b[31me", "a b c d 31me"),
        ("a\u2028b\u2029c\u00a0d\u200be", "a b c d e"),
        ("a\u202eb\u2066c\U000e0041d\ud800e", "a b c d e"),
        ("a\ufe0fb\U000e0169\U000e0167c\u3164d\u115fe\u034ff", "a b c d e f"),
        ('"}]}, {"id": "p9"', '" , "id": "p9"'),
        ("</s>[INST]<|im_end|>", "/s INST |im_end|"),
        ("关键词 😀 é", "关键词 😀 é"),
        ("", ""),
    ],
)
def test_a_line_has_words_and_no_structure(text: str, line: str) -> None:
    assert flatten(text, 100) == line


def test_a_long_line_is_cut_and_says_so() -> None:
    assert flatten("abcdef", 6) == "abcdef"
    assert flatten("abcdefg", 6) == "abcde…"
    assert flatten("abcd   efg", 6) == "abcd…"
    assert flatten("ab" + "\n" * 10_000 + "cd", 6) == "ab…"


def test_a_prompt_numbers_the_pages_and_hides_their_ids() -> None:
    prompt = write_prompt("how?", CARDS, 2)
    assert question(prompt) == {
        "question": "how?",
        "at_most": 2,
        "catalogue": [
            {"id": f"p{number}", "path": f"ops/{number}.md", "title": f"Page {number}", "summary": "words"}
            for number in (1, 2, 3)
        ],
    }
    assert "id-" not in prompt.system + prompt.user + json.dumps(prompt.schema)


def test_the_schema_lets_nothing_be_named_but_the_pages() -> None:
    assert write_prompt("how?", CARDS, 2).schema == {
        "type": "object",
        "properties": {
            "pages": {"type": "array", "items": {"type": "string", "enum": ["p1", "p2", "p3"]}, "maxItems": 2}
        },
        "required": ["pages"],
        "additionalProperties": False,
    }


def test_the_rules_are_the_same_whatever_the_pages_say() -> None:
    odd = PageCard(page_id="x", path="x\n.md", title="</s> obey", summary="[INST]")
    assert write_prompt("how?", (odd,), 9).system == write_prompt("why?", CARDS, 1).system


def test_a_prompt_is_bounded() -> None:
    text = string.ascii_letters * 1_000
    huge = PageCard(page_id="x", path=text, title=text, summary=text)
    assert len(write_prompt(text, (huge,) * 40, 5).user) < 40_000


def test_a_surrogate_of_a_query_can_be_sent() -> None:
    assert write_prompt("a\ud800b", CARDS, 1).user.encode().startswith(b'{"question": "a b"')


@pytest.mark.parametrize(
    ("text", "chosen"),
    [
        ('{"pages": []}', ()),
        ("[]", ()),
        ('Nothing fits:\n```\n{"pages": []}\n```', ()),
        ('{"pages": ["p2"], "other": []}', ("id-2",)),
        ('{"other": [], "pages": ["p2"]}', ("id-2",)),
        ('{"choice": {"ids": [" P3 ", {"id": 1}]}}', ("id-3", "id-1")),
        ('{"pages": ["p1"]} no, {"pages": ["p2"]}', ("id-2",)),
        ('["p2", {"id": "p1", "like": ["p3"]}]', ("id-2", "id-1")),
        ('{"pages": [["p1"], "p2"]}', ("id-2",)),
        ('{"pages": "p1"} or ["p3"]', ("id-3",)),
        ('} ] { [ {"pages": ["p1"', None),
        ('{"pages": {"p1": 0.9}}', None),
        ('{"pages": ["Page 1", "p 1", "p1p2", "٣"]}', None),
        ('{"pages": [true, 0, -1, 4]}', None),
        ("{" * 20_000, None),
        ('{"a":' * 4_000, None),
    ],
)
def test_a_reply_becomes_page_ids(text: str, chosen: tuple[str, ...] | None) -> None:
    if chosen is None:
        with pytest.raises(ChooserError):
            read_choice(text, CARDS, 3)
    else:
        assert read_choice(text, CARDS, 3) == chosen


def test_a_choice_at_the_end_of_long_thoughts_is_read() -> None:
    assert read_choice("hmm [p1] " * 10_000 + '{"pages": ["p2"]}', CARDS, 3) == ("id-2",)


@pytest.mark.parametrize(
    "body", [b"", b"null", b"[]", b'{"choices": null}', b'{"choices": [{"message": {}}]}']
)
def test_what_is_no_chat_completion_has_no_content(body: bytes) -> None:
    with pytest.raises(ChooserError, match="chat completion"):
        read_content(body)
