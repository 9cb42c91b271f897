"""Text of SQL predicates: the only place where a value becomes a literal.

The chunk tables have these columns: `path` (text), `page_id` (text), `tags` (list of text), `modified`
(seconds since 1970) and `attrs`: one "key=type:value" for each frontmatter value, with the type s, n or b.
Comparing typed text needs no CAST, which would fail the whole query on one odd value. Text is asked for both
composed and decomposed, and a time stamp also as the frontmatter holds it.
"""

import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from chunking.metadata import read_timestamp
from chunking.model import Scalar
from retrieval.filters import Comparison, Compound, Filter, InvalidFilter, check_text
from retrieval.spelling import spellings

MatchingPages = Callable[[Comparison], Sequence[str]]
"""Returns the `page_id` of each page that a comparison over frontmatter matches."""

MAX_SCOPE_LENGTH = 4_096

_OPERATORS = {"gt": ">", "gte": ">=", "lt": "<", "lte": "<="}
_COMPARE: Mapping[str, Callable[[Any, Any], bool]] = {
    "gt": operator.gt,
    "gte": operator.ge,
    "lt": operator.lt,
    "lte": operator.le,
}
_NEGATIONS = ("ne", "nin")


def quote(value: str) -> str:
    """Returns `value` as an SQL string literal: a single quote is doubled, and nothing else is special."""
    return "'" + value.replace("'", "''") + "'"


def in_predicate(column: str, values: Iterable[str]) -> str:
    """Returns the predicate that `column` is one of `values`; no values match no row."""
    literals = ", ".join(quote(value) for value in values)
    return f"{column} IN ({literals})" if literals else "false"


def path_scope(prefix: str) -> str | None:
    """Returns the predicate for the page `prefix` and all below the folder `prefix`, None for everything.

    Separators are respected and nothing is a wildcard; "/", "." and a trailing "/" do not matter.

    Raises:
        InvalidFilter: The prefix is too long, or leads out of the wiki.
    """
    try:
        steps = [
            step for step in check_text(prefix, longest=MAX_SCOPE_LENGTH).split("/") if step not in ("", ".")
        ]
    except ValueError as error:
        raise InvalidFilter({"path_prefix": str(error)}) from None
    if ".." in steps:
        raise InvalidFilter({"path_prefix": "must not hold '..'"})
    if not steps:
        return None
    scope = "/".join(steps)
    # "0" follows "/": the range holds what begins with the folder and its separator, and nothing else.
    return f"(path = {quote(scope)} OR (path >= {quote(scope + '/')} AND path < {quote(scope + '0')}))"


def compile_filter(filter: Filter, matching_pages: MatchingPages) -> str:
    """Returns the predicate for `filter`; ranges over frontmatter become the pages that match them."""
    if isinstance(filter, Compound):
        parts = (compile_filter(part, matching_pages) for part in filter.filters)
        return "(" + f" {filter.type.upper()} ".join(parts) + ")"
    if filter.type in _OPERATORS:
        return _compile_range(filter, matching_pages)
    predicate = _compile_membership(filter.key, _each(filter.value))
    return f"NOT ({predicate})" if filter.type in _NEGATIONS else predicate


def attributes(values: Mapping[str, Scalar | tuple[Scalar, ...]]) -> tuple[str, ...]:
    """Returns the content of the `attrs` column for frontmatter `values`; a list gives several."""
    return tuple(
        dict.fromkeys(_attribute(key, value) for key, several in values.items() for value in _each(several))
    )


def matches(comparison: Comparison, values: Mapping[str, Scalar | tuple[Scalar, ...]]) -> bool:
    """Tells whether a page with these values matches, as the compiled predicate would.

    Of a list any element may match. Ranges compare numbers with numbers and text (dates are ISO 8601) with
    text by code points; other pairs never match.
    """
    found = {key: _each(values.get(key, ())) for key in spellings(comparison.key)}
    if comparison.type in _OPERATORS:
        return any(_in_range(comparison, value) for several in found.values() for value in several)
    wanted = set(_spell_attributes(comparison.key, _each(comparison.value)))
    held = {_attribute(key, value) for key, several in found.items() for value in several}
    return wanted.isdisjoint(held) == (comparison.type in _NEGATIONS)


def _compile_range(comparison: Comparison, matching_pages: MatchingPages) -> str:
    sign, bound = _OPERATORS[comparison.type], comparison.value
    if comparison.key == "modified":
        return f"modified {sign} {bound!r}"
    if comparison.key == "path":
        return f"path {sign} {quote(str(bound))}"
    return in_predicate("page_id", matching_pages(comparison))


def _compile_membership(key: str, values: Sequence[Scalar]) -> str:
    if key == "modified":
        return f"modified IN ({', '.join(repr(value) for value in values)})"
    if key == "path":
        return in_predicate("path", _spell(values))
    if key == "tags":
        return _has_any("tags", _spell(values))
    return _has_any("attrs", _spell_attributes(key, values))


def _spell(values: Sequence[Scalar]) -> list[str]:
    return [form for value in values for form in spellings(str(value))]


def _spell_attributes(key: str, values: Sequence[Scalar]) -> list[str]:
    """Returns what the `attrs` of a page may hold if it has one of the values."""
    forms = {form: None for value in values for form in _forms(value)}
    return [_attribute(name, form) for name in spellings(key) for form in forms]


def _forms(value: Scalar) -> tuple[Scalar, ...]:
    return (*spellings(value), read_timestamp(value)) if isinstance(value, str) else (value,)


def _has_any(column: str, values: Sequence[str]) -> str:
    if len(values) == 1:
        return f"array_has({column}, {quote(values[0])})"
    return f"array_has_any({column}, [{', '.join(quote(value) for value in values)}])"


def _attribute(key: str, value: Scalar) -> str:
    # "=" ends the key, so it may not stand in it.
    return f"{key.replace('%', '%25').replace('=', '%3D')}={_type_value(value)}"


def _type_value(value: Scalar) -> str:
    if isinstance(value, bool):
        return f"b:{str(value).lower()}"
    if isinstance(value, str):
        return f"s:{value}"
    try:
        return f"n:{float(value) + 0.0!r}"  # 3 equals 3.0, and -0.0 equals 0.0
    except OverflowError:  # an integer that no filter can ask for as a number
        return f"s:{value}"


def _in_range(comparison: Comparison, value: Scalar) -> bool:
    bound = comparison.value
    if isinstance(value, str) and isinstance(bound, str):
        return _COMPARE[comparison.type](value, read_timestamp(bound))
    numbers = _is_number(value) and _is_number(bound)
    return numbers and _COMPARE[comparison.type](value, bound)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _each(value: Scalar | tuple[Scalar, ...]) -> tuple[Scalar, ...]:
    return value if isinstance(value, tuple) else (value,)
