"""Reading what a language model replied: whatever does not name a page of the catalogue is dropped.

Servers that ignore the JSON schema let the model write prose, code fences or other shapes around its choice.
"""

import json
import re
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress

from retrieval.llm.port import ChooserError, PageCard
from retrieval.llm.prompt import REPLY_KEY

# A choice comes last: models that think aloud do so before it.
_READ_CHARS = 20_000
# Each bracket is a try to read JSON from there; a choice has two, and two more for each of its pages at most.
_TRIES = 500
_OPENING = re.compile(r"[\[{]")
_ID = re.compile(r"\s*[pP]?([0-9]{1,4})\s*")


def read_content(body: bytes) -> str:
    """Returns the text of a chat completion.

    Raises:
        ChooserError: The body is no chat completion, or one without text.
    """
    try:
        content = json.loads(body)["choices"][0]["message"]["content"]
    except (ValueError, LookupError, TypeError, RecursionError):
        raise ChooserError("the language model's server did not answer with a chat completion") from None
    if not isinstance(content, str):
        raise ChooserError("the language model answered without text")
    return content


def read_choice(text: str, catalogue: Sequence[PageCard], limit: int) -> tuple[str, ...]:
    """Returns the page ids that a reply names, best first, each once, at most `limit`.

    Raises:
        ChooserError: The reply makes no choice, or names only what is not in the catalogue.
    """
    named = _find_list(text)
    numbers = (_read_number(item) for item in named)
    chosen = dict.fromkeys(
        catalogue[number - 1].page_id for number in numbers if 1 <= number <= len(catalogue)
    )
    if named and not chosen:
        raise ChooserError("the language model named no page of the catalogue")
    return tuple(chosen)[:limit]


def _find_list(text: str) -> Sequence[object]:
    """Returns the list under the expected key, else any: of several the outermost one that came last."""
    try:
        lists = [entry for value in _decode_values(text[-_READ_CHARS:]) for entry in _walk_lists(value)]
    except RecursionError:
        lists = []
    expected = [found for key, found in lists if key == REPLY_KEY]
    if not lists:
        raise ChooserError("the language model's reply makes no choice")
    return expected[-1] if expected else lists[-1][1]


def _decode_values(text: str) -> Iterator[object]:
    """Yields each JSON object and list that stands in `text`, those that come last if there are many."""
    decoder, position = json.JSONDecoder(), 0
    for opening in [match.start() for match in _OPENING.finditer(text)][-_TRIES:]:
        if opening >= position:
            with suppress(ValueError):
                value, position = decoder.raw_decode(text, opening)
                yield value


def _walk_lists(value: object) -> Iterator[tuple[str, Sequence[object]]]:
    """Returns each list in `value` with the key it stands under, "" without one; inner ones first."""
    waiting, found = deque([("", value)]), []
    while waiting:
        key, inner = waiting.popleft()
        if isinstance(inner, list):
            found.append((key, inner))
            waiting.extend(("", item) for item in inner)
        elif isinstance(inner, Mapping):
            waiting.extend(inner.items())
    return reversed(found)


def _read_number(item: object) -> int:
    """Returns the number that an item of a reply names, 0 for none; that of "p3", 3 and {"id": "p3"} is 3."""
    name = item.get("id") if isinstance(item, Mapping) else item
    if isinstance(name, int) and not isinstance(name, bool):
        return name
    match = _ID.fullmatch(name) if isinstance(name, str) else None
    return int(match[1]) if match else 0
