"""Wikilinks in the raw lines of a metadata block, whether or not it parses."""

import re
from collections.abc import Iterator

from chunking.syntax.wikilinks import WIKILINK

# A string of TOML, or a comment, in which a quote begins no string.
_TOML_TEXT = re.compile(
    r'""".*?"""' r"|'''.*?'''" r'|"(?:\\.|[^"\\\r\n])*+"' r"|'[^'\r\n]*+'" r"|\#[^\r\n]*+", re.DOTALL
)
_DOUBLE_QUOTED_ESCAPE = re.compile(r"\\([\\\"/])")


def read_metadata_wikilinks(block: str) -> Iterator[tuple[str, bool, int]]:
    """Yields what stands between the brackets of each wikilink, whether it is an embed, and its offset.

    In TOML brackets outside of a string are tables and lists. In YAML they may be links without quotes,
    except for lists of lists; an escape of the quotes around a link is undone.
    """
    if block.startswith("+++"):
        for text in _TOML_TEXT.finditer(block):
            if not text[0].startswith("#"):
                yield from _find_wikilinks(block, text.start(), text.end())
    else:
        yield from _find_wikilinks(block, 0, len(block))


def _find_wikilinks(block: str, start: int, end: int) -> Iterator[tuple[str, bool, int]]:
    for match in WIKILINK.finditer(block, start, end):
        content = _undo_escapes(match[2], block[match.start() - 1 : match.start()])
        if not {"[", "]"} & set(content.partition("|")[0]):
            yield content, bool(match[1]), match.start()


def _undo_escapes(content: str, quote: str) -> str:
    if quote == "'":
        return content.replace("''", "'")
    return _DOUBLE_QUOTED_ESCAPE.sub(r"\1", content) if quote == '"' else content
