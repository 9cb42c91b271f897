"""Wikilinks `[[target]]` and embeds `![[target]]` as an inline rule."""

import re

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline

WIKILINK = re.compile(r"(!?)\[\[(?!\[)((?:[^\[\]\r\n]|\[(?!\[)|\](?!\]))++)\]\]")
"""A wikilink on one line; scanning stops at the next "[[", which keeps a run of openers linear."""

_LOGSEQ_EMBED = "{{embed "


def extend(parser: MarkdownIt) -> None:
    """Adds the rule; its tokens hold what stands between the brackets, and "!" in `markup` for embeds.

    Logseq writes these as `{{embed [[target]]}}`.
    """
    parser.inline.ruler.before("link", "wikilink", _read_wikilink)


def _read_wikilink(state: StateInline, silent: bool) -> bool:
    if state.src[state.pos] not in "![":
        return False
    match = WIKILINK.match(state.src, state.pos, state.posMax)
    if not match or not match[2].strip():
        return False
    if not silent:
        token = state.push("wikilink", "", 0)
        token.content = match[2]
        token.markup = match[1] or ("!" if state.src.endswith(_LOGSEQ_EMBED, 0, state.pos) else "")
        token.meta["position"] = state.pos
    state.pos = match.end()
    return True
