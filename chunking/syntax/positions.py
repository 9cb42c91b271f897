"""Makes the parser's own link rules note where a link begins."""

from collections.abc import Callable
from typing import Final

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline, autolink, image, link

_MAX_IMAGES: Final = 3
_DEPTH: Final = "image_depth"

InlineRule = Callable[[StateInline, bool], bool]


def extend(parser: MarkdownIt) -> None:
    """Wraps the rules, whose tokens then carry `meta["position"]`."""
    parser.inline.ruler.at("link", _within_brackets(_note_position(link, "link_open")))
    parser.inline.ruler.at("image", _within_brackets(_note_position(_read_image, "image")))
    parser.inline.ruler.at("autolink", _note_position(autolink, "link_open"))


def _read_image(state: StateInline, silent: bool) -> bool:
    """Reads an image, whose description is parsed anew for each image around it, at most to a depth."""
    if silent:
        return image(state, silent)
    depth: int = state.env.get(_DEPTH, 0)
    if depth == _MAX_IMAGES:
        return False
    state.env[_DEPTH] = depth + 1
    found = image(state, silent)
    state.env[_DEPTH] = depth
    return found


def _note_position(rule: InlineRule, token_type: str) -> InlineRule:
    def read(state: StateInline, silent: bool) -> bool:
        position, before = state.pos, len(state.tokens)
        found = rule(state, silent)
        if found and not silent:
            token = next(token for token in state.tokens[before:] if token.type == token_type)
            token.meta["position"] = position
        return found

    return read


def _within_brackets(rule: InlineRule) -> InlineRule:
    """Skips the rule where no bracket closes any more: it would scan to the end from each opener."""

    def read(state: StateInline, silent: bool) -> bool:
        if state.src[state.pos] not in "![" or state.html_terminator_last("]") < state.pos:
            return False
        return rule(state, silent)

    return read
