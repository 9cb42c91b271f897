"""Which paths a gitignore pattern names; the answers are those of `git check-ignore`."""

import re
import time

import pytest

from indexer.glob import translate_glob


@pytest.mark.parametrize(
    ("glob", "named", "others"),
    [
        ("a.md", ["a.md"], ["axmd", "a.md/b", "b/a.md"]),
        ("*.md", ["a.md", ".md", "a\nb.md"], ["a/b.md", "a.mdx"]),
        ("a*b*c", ["abc", "axbxbc", "abcbc"], ["ab", "acb", "ab/c"]),
        ("*a*", ["a", "bab"], ["b", "b/a"]),
        ("a?c", ["abc", "a\nc"], ["ac", "a/c", "abbc"]),
        ("**/a", ["a", "b/a", "b/c/a", "b\nc/a"], ["ab", "b/ca", "a/b"]),
        ("a/**", ["a/b", "a/b/c"], ["a", "ab", "b/a/c"]),
        ("a/**/b", ["a/b", "a/x/b", "a/b/x/b"], ["ab", "a/xb", "a/b/x"]),
        ("a/**/b/*/**/c", ["a/b/b/x/c", "a/b/x/c", "a/x/b/x/y/c"], ["a/b/c", "a/x/c"]),
        ("**", ["a", "a/b"], []),
        ("a**b", ["ab", "axb"], ["a/b"]),
        ("a//b", [], ["a/b", "a"]),
        ("**//", [], ["a", "a/b"]),
        ("[a-c]x", ["ax", "cx"], ["dx", "/x"]),
        ("[!a-c]x", ["dx", "^x"], ["ax", "/x"]),
        ("[]a]", ["]", "a"], ["b", "]a"]),
        ("[!]]", ["a"], ["]"]),
        ("[a-]", ["a", "-"], ["b"]),
        (r"[\]\\]", ["]", "\\"], ["["]),
        ("x[a/b]", ["xa", "xb"], ["x/", "x"]),
        ("[[:digit:]_-]", ["1", "_", "-"], ["a", ":", "["]),
        ("[^[:space:]]", ["a"], [" ", "\t"]),
        (r"\*\a[$]", ["*a$"], ["xa$"]),
        ("a+(b|c){2}", ["a+(b|c){2}"], ["aabb"]),
    ],
)
def test_paths_that_a_pattern_names(glob: str, named: list[str], others: list[str]) -> None:
    expression = translate_glob(glob)
    assert [path for path in (*named, *others) if expression.fullmatch(path)] == named


@pytest.mark.parametrize("glob", ["[z-a]", "[a", "a\\", "[[:letters:]]", "[]"])
def test_what_is_no_pattern_is_refused(glob: str) -> None:
    with pytest.raises(ValueError, match=r"\S"):
        translate_glob(glob)


@pytest.mark.parametrize(
    ("glob", "path"),
    [
        ("*a" * 100 + "b", "a" * 250 + ".md"),
        ("**/a/" * 100 + "b", "a/" * 2_000 + "c"),
        ("**/*a*a*ab/" * 20 + "b", ("a" * 250 + "/") * 16 + "b"),
    ],
)
def test_no_pattern_takes_long(glob: str, path: str) -> None:
    expression: re.Pattern[str] = translate_glob(glob)
    begun = time.process_time()
    assert not expression.fullmatch(path)
    assert time.process_time() - begun < 2
