"""Hypothesis strategies for pages: the blocks of Markdown and of wikis, nested, with text of every plane."""

from hypothesis import strategies as st

_SPACES = "\u2028\u2029\x85\x0b\x0c\x1c\x1d\x1e\u00a0\u3000"
_INVISIBLE = "\0\u200b\u200d\u200e\u202e\u0301\ufeff\ufffd\U000e0001"
_SYNTAX = "#>-*+`~|[]()<>!%$^_=:.\\&;\"' \t\n\r0123456789ab"
_characters = st.one_of(
    st.characters(),
    st.characters(min_codepoint=0x10000),
    st.characters(categories=("Mn", "Me", "Cf", "Cs", "Zs", "Co")),
    st.sampled_from(_SPACES + _INVISIBLE),
    st.sampled_from(_SYNTAX),
)
_noise = st.text(_characters, max_size=20)


def _one_of(*texts: str) -> st.SearchStrategy[str]:
    """One of the words of these texts."""
    return st.sampled_from(" ".join(texts).split())


_word = _one_of(
    "alpha beta. 文字。 e\u0301 שלום ^name #tag #a/b a_b 1) &amp; &#0; \U0001f469\u200d\U0001f467"
)
_link = _one_of(
    "[[Page]] [[Page#Part|name]] [[name|Page]] ![[a.png|100]] [[#^name]] [[a\\|b]] `[[x]]` \\[[x]]",
    "[text](page.md#x) ![alt](<a%20b.png>) [ref] [ref][] [t][ref] <https://a.b> [^1] [a]([[b]]) ((id))",
)
_mark = _one_of(
    "$x$ $$ %% %%c%% <b> <!-- --> <!--c--> **bold** * __ ~~ | [ ] ` `` ![ [[ ]] ( ) < > \\ <? ?> <![CDATA[",
    "{{embed",
)
_line = st.lists(st.one_of(_word, _link, _mark, _noise), max_size=12).map(" ".join)
_break = st.sampled_from(["\n", "\n", "\n", "\r\n", "\r", " \n", "\\\n"])
_lines = st.lists(st.tuples(_line, _break).map("".join), max_size=4).map("".join)

_fence = st.builds(
    "{}{}\n{}{}\n".format,
    st.sampled_from(["```", "~~~", "````", "~~~~~", "   ```"]),
    st.sampled_from(["", "py", ' js {1,3} title="a"', "a`b"]),
    _lines,
    st.sampled_from(["```", "~~~", "````", "``` x", "", "    ```"]),
)
_table = st.builds(
    "{}\n{}\n{}".format,
    st.lists(_word, min_size=1, max_size=3).map(lambda names: f"|{'|'.join(names)}|"),
    st.sampled_from(["|---|", "|---|---|", "|:-:|--|-|", "---|---", "|--"]),
    st.lists(_line, max_size=5).map(lambda rows: "".join(f"| {row} |\n" for row in rows)),
)
_html = _one_of("<div> <!-- <script> <?php <!X </p> <a>")
_leaf = st.one_of(
    _lines,
    st.builds(
        "{} {}\n".format, st.sampled_from(["#", "##", "###", "######", "#######", "#\t", "   #"]), _line
    ),
    st.builds("{}{}\n".format, _lines, st.sampled_from(["===", "---", "-", "=", " --- ", "***", "- - -"])),
    _fence,
    _table,
    st.builds("    {}\n\t{}\n".format, _line, _line),
    st.builds("{}\n{}\n".format, _html, _lines),
    st.builds("%%\n{}{}\n".format, _lines, st.sampled_from(["%%", "x %%", ""])),
    st.builds("$$\n{}{}\n".format, _lines, st.sampled_from(["$$", "x $$", ""])),
    st.builds("[{}]: {}\n".format, st.sampled_from(["ref", "^1", "a\nb", "REF", "["]), _line),
    st.builds("{}:: {}\n".format, st.sampled_from(["title", "- id", "tags", "alias"]), _line),
    st.sampled_from(["\n", "\n\n", " \n", "\t\n", "\r\r", "^name\n", "\x0c\n", "\u2028"]),
)

# What stands before the first line of a container, and before the others: sometimes nothing, a lazy line.
_CONTAINERS = [
    ("> ", "> "),
    (">", ">"),
    ("> [!note] ", "> "),
    ("> ", ""),
    ("- ", "  "),
    ("* ", "\t"),
    ("1. ", "   "),
    ("10) ", "    "),
    ("- [ ] ", "  "),
    ("- ", ""),
    ("-\n", "  "),
    (">" * 12, ">"),
    ("- " * 30, "  "),
]


def _nest(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    bodies = st.lists(inner, max_size=4).map("".join)
    return st.tuples(st.sampled_from(_CONTAINERS), bodies).map(
        lambda nested: nested[0][0] + nested[1].replace("\n", "\n" + nested[0][1]) + "\n"
    )


_blocks = st.recursive(_leaf, _nest, max_leaves=12)
_YAML = [
    "title: Page\n",
    "aliases: [a, b]\n",
    "tags: x, y\n",
    "tags:\n  - x\n",
    "k: &a [1]\n",
    "l: [*a, *a]\n",
    "t: 2024-01-01\n",
    "bad: [\n",
    'up: "[[Page]]"\n',
    "up: [[Page]]\n",
    "n: !!binary x\n",
    "? [a]\n",
    "d: {a: b}\n",
    "s: |\n  ---\n",
    "...\n",
]
_TOML = ["x = 1\n", "a.b = [1, 2]\n", "[table]\n", "d = 1979-05-27\n", 'm = """\n', f"n = {'9' * 5000}\n"]
_field = st.one_of(st.sampled_from(_YAML), st.sampled_from(_TOML), _lines)
_rules = st.sampled_from(
    [("---", "---"), ("---", "..."), ("+++", "+++"), ("--- x", "---"), ("---", ""), ("--- ", "---\t")]
)
_metadata = st.tuples(_rules, st.lists(_field, max_size=5).map("".join)).map(
    lambda block: f"{block[0][0]}\n{block[1]}{block[0][1]}\n"
)
pages = st.one_of(
    st.lists(_blocks, max_size=8).map("".join),
    st.tuples(_metadata, st.lists(_blocks, max_size=5).map("".join)).map("".join),
    st.text(_characters, max_size=200),
)
"""Pages of every construct, often broken."""
