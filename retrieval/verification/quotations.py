"""Quotations inside a finished text: what stands between quotation marks, in block quotes, in cited code."""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from chunking.lines import LineIndex
from chunking.model import Dialect
from retrieval.verification.folding import fold_blanks
from retrieval.verification.model import Quotation, Reference
from retrieval.verification.references import Mention, PageNames, find_mentions

_MARKED = re.compile(
    r"„([^„“”]{1,4000})[“”]|“([^“”]{1,4000})”|«([^«»]{1,4000})»|「([^「」]{1,4000})」|『([^『』]{1,4000})』"
    r'|(?<![\w"])"(?=[^\s"])([^"]{1,4000})(?<=\S)"(?![\w"])'
)
_CODE_SPAN = re.compile(r"(?<!`)(`+)(?!`)([^\r\n]{1,500}?)(?<!`)\1(?!`)")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_QUOTE_MARK = re.compile(r" {0,3}> ?")
_ATTRIBUTION = re.compile(r"\s*(?:[—–-]+|\()?\s*(?:source:)?\s*", re.IGNORECASE)
_QUOTE_SIGNS = str.maketrans(dict.fromkeys('"“”„«»「」『』', "\0"))

_MAX_REFERENCES = 5
_SHORTEST = 15
_SHORTEST_CITED = 2
"""Bytes of a quotation at least, and words of one with a reference beside it: `"OK"` quotes no page. A letter
of scripts that write no spaces has three bytes, and says as much."""


@dataclass(frozen=True, slots=True)
class _Block:
    """A paragraph, block quote or code block: `text[start:end]`; blank lines are in none."""

    kind: str
    start: int
    end: int


def read_quotations(text: str, names: PageNames, dialect: Dialect) -> tuple[Quotation, ...]:
    """Returns the quotations of a text in its order, with the references near them."""
    lines = LineIndex(text)
    blocks = list(_divide(text, lines))
    mentions = find_mentions(text, names, dialect)
    found: list[Quotation] = []
    for number, block in enumerate(blocks):
        inside = _select(mentions, block.start, block.end)
        if block.kind == "paragraph":
            found += _read_paragraph(text, block, inside, lines)
            continue
        around = _list_neighbours(text, blocks, number, mentions)
        quotation = _read_block(text, block, inside, around, lines)
        if quotation is not None:
            found.append(quotation)
    return tuple(found)


def _divide(text: str, lines: LineIndex) -> Iterator[_Block]:
    kind, start, fence = "", 0, ""
    for number in range(1, lines.count + 1):
        begin, end = lines.start_of(number), lines.start_of(number + 1)
        line = text[begin:end]
        if fence:
            if line.strip().startswith(fence) and not line.strip().strip(fence[0]):
                yield _Block("code", start, begin)
                kind, fence = "", ""
            continue
        opening = _FENCE.match(line)
        found = "code" if opening else _kind_of(line)
        if found != kind:
            if kind:
                yield _Block(kind, start, begin)
            kind, start = found, begin
        if opening:
            fence, start = opening[1], end
    if kind:
        yield _Block(kind, min(start, len(text)), len(text))


def _kind_of(line: str) -> str:
    if not line.strip():
        return ""
    return "quote" if _QUOTE_MARK.match(line) else "paragraph"


def _read_paragraph(
    text: str, block: _Block, mentions: Sequence[Mention], lines: LineIndex
) -> Iterator[Quotation]:
    paragraph = text[block.start : block.end]
    # A quotation mark inside code is none.
    bare = _CODE_SPAN.sub(lambda match: match[0].translate(_QUOTE_SIGNS), paragraph)
    marked = [
        (match, block.start + match.start(), block.start + match.end()) for match in _MARKED.finditer(bare)
    ]
    for position, (match, start, end) in enumerate(marked):
        group = match.lastindex or 0
        quoted = paragraph[match.start(group) : match.end(group)]
        until = marked[position + 1][1] if position + 1 < len(marked) else block.end
        since = marked[position - 1][2] if position else block.start
        references = _rank_mentions(mentions, since, start, end, until)
        if _is_worth(quoted, is_cited=bool(references)):
            yield Quotation(text=quoted.strip(), line=lines.line_of(start), references=references)


def _rank_mentions(
    mentions: Sequence[Mention], since: int, start: int, end: int, until: int
) -> tuple[Reference, ...]:
    """Returns references, those likeliest meant first: right behind a quotation, before it, then by distance.

    Those inside the quotation are part of what is quoted.
    """

    def rank(mention: Mention) -> tuple[int, int]:
        if end <= mention.start < until:
            return 0, mention.start - end
        if since <= mention.start < start:
            return 1, start - mention.start
        return 2, abs(mention.start - start)

    before, after = _count_before(mentions, start), _count_before(mentions, end)
    near = [*mentions[max(0, before - _MAX_REFERENCES) : before], *mentions[after : after + _MAX_REFERENCES]]
    return tuple(mention.reference for mention in sorted(near, key=rank)[:_MAX_REFERENCES])


def _list_neighbours(
    text: str, blocks: Sequence[_Block], number: int, mentions: Sequence[Mention]
) -> tuple[Reference, ...]:
    """Returns the references of the line behind a block and of the line before it."""
    found: list[Reference] = []
    for other in (number + 1, number - 1):
        if not 0 <= other < len(blocks) or blocks[other].kind != "paragraph":
            continue
        start, end = blocks[other].start, blocks[other].end
        if other > number:
            end = start + len(text[start:end].split("\n", 1)[0])
        else:
            start += text[start:end].rstrip().rfind("\n") + 1
        found += [mention.reference for mention in _select(mentions, start, end)]
    return tuple(found[:_MAX_REFERENCES])


def _select(mentions: Sequence[Mention], start: int, end: int) -> Sequence[Mention]:
    """Returns the mentions that begin within a range of the text."""
    return mentions[_count_before(mentions, start) : _count_before(mentions, end)]


def _count_before(mentions: Sequence[Mention], place: int) -> int:
    return bisect_left(mentions, place, key=lambda mention: mention.start)


def _read_block(
    text: str, block: _Block, inside: Sequence[Mention], around: Sequence[Reference], lines: LineIndex
) -> Quotation | None:
    """Reads a block quote, or code that has a reference; a last line that only names a source is that."""
    content = text[block.start : block.end]
    references = tuple(around)
    if block.kind == "quote":
        cut = _find_attribution(text, block, inside)
        content = "\n".join(
            _QUOTE_MARK.sub("", line, count=1) for line in text[block.start : cut].split("\n")
        )
        own = tuple(mention.reference for mention in inside if mention.start >= cut)
        references = own + references
    elif not references:
        return None
    if not _is_worth(content, is_cited=bool(references)):
        return None
    return Quotation(text=content.strip(), line=lines.line_of(block.start), references=references)


def _find_attribution(text: str, block: _Block, inside: Sequence[Mention]) -> int:
    """Returns where the last line of a block quote begins if it only names a source, else its end."""
    content = text[block.start : block.end].rstrip()
    begin = block.start + content.rfind("\n") + 1
    last = [mention for mention in inside if mention.start >= begin]
    if not last or begin == block.start:
        return block.end
    mark = _QUOTE_MARK.match(text, begin)
    lead = text[mark.end() if mark else begin : last[0].start].strip("`[(* ")
    return begin if _ATTRIBUTION.fullmatch(lead) else block.end


def _is_worth(quoted: str, *, is_cited: bool) -> bool:
    folded = fold_blanks(quoted.strip())
    if is_cited and len(folded.split()) >= _SHORTEST_CITED:
        return True
    return len(folded.encode("utf-8", "surrogatepass")) >= _SHORTEST
