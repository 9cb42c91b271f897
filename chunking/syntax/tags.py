"""Tags `#word` as an inline rule, so that code, links and escapes are respected."""

from typing import Final

import regex
from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline

_TAG: Final = regex.compile(r"#((?:[\w\p{M}/-])++)", regex.V1)


def extend(parser: MarkdownIt) -> None:
    """Adds the rule; its tokens hold the tag without "#"."""
    parser.inline.ruler.before("link", "tag", _read_tag)


def _read_tag(state: StateInline, silent: bool) -> bool:
    position = state.pos
    if state.src[position] != "#" or (position > 0 and not state.src[position - 1].isspace()):
        return False
    match = _TAG.match(state.src, position, state.posMax)
    if not match or match[1].isdigit():
        return False
    if not silent:
        state.push("tag", "", 0).content = match[1]
    state.pos = match.end()
    return True
