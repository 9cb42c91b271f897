"""Makes the parser's own link rules note where a link begins."""

from collections.abc import Callable

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline, autolink, image, link

InlineRule = Callable[[StateInline, bool], bool]


def extend(parser: MarkdownIt) -> None:
    """Wraps the rules, whose tokens then carry `meta["position"]`."""
    parser.inline.ruler.at("link", _within_brackets(_note_position(link, "link_open")))
    parser.inline.ruler.at("image", _within_brackets(_note_position(image, "image")))
    parser.inline.ruler.at("autolink", _note_position(autolink, "link_open"))


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
