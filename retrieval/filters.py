"""The one grammar of filters: comparisons over a page's path, tags, modified time and frontmatter.

    {"type": "eq|ne|gt|gte|lt|lte|in|nin", "key": ..., "value": ...}
    {"type": "and|or", "filters": [...]}

`ne` and `nin` match pages without the key. Values are typed: text, number and bool never equal each other.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import ClassVar, Literal, ParamSpec, TypeGuard, TypeVar, get_args

from chunking.errors import WikitrailError
from chunking.model import Scalar

ComparisonType = Literal["eq", "ne", "gt", "gte", "lt", "lte", "in", "nin"]
CompoundType = Literal["and", "or"]

MAX_DEPTH = 8
MAX_COMPARISONS = 100
MAX_VALUES = 200
"""Values of one list."""
MAX_ALL_VALUES = 2_000
"""Values of all lists of a filter."""
MAX_RANGES = 10
"""Ranges over frontmatter: each looks at every page."""
MAX_PROBLEMS = 20
"""A filter with more is not read any further."""
MAX_TEXT_LENGTH = 1_000
"""Characters of a key or a text value."""

_MAX_NAME_LENGTH = 100
"""Characters of an unknown key that are told."""

P = ParamSpec("P")
T = TypeVar("T")

_RANGES = ("gt", "gte", "lt", "lte")
_COLUMNS = ("path", "modified")
_LISTS = ("in", "nin")


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Compares the values that a page has under `key`.

    `value` is a tuple for `in` and `nin`, else a scalar; for the key `modified`, seconds since 1970.
    """

    type: ComparisonType
    key: str
    value: Scalar | tuple[Scalar, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Compound:
    """Matches where all (`and`) or any (`or`) of `filters` match."""

    type: CompoundType
    filters: tuple["Filter", ...]


Filter = Comparison | Compound


class InvalidFilter(WikitrailError):
    """A filter or a scope does not fit the grammar; `problems` maps each offending key to what is wrong."""

    code: ClassVar[str] = "invalid-filter"

    def __init__(self, problems: dict[str, str]) -> None:
        super().__init__("; ".join(f"{at}: {problem}" for at, problem in problems.items()))
        self.problems = problems


def parse_filter(content: object, *, at: str = "filters") -> Filter:
    """Returns the filter that JSON `content` describes; `at` names the place it came from.

    Raises:
        InvalidFilter: Names every offending key at once, such as `filters.filters[1].value`; of very many
            the first.
    """
    reader = _Reader()
    parsed = reader.read(content, at, depth=1)
    if reader.comparisons > MAX_COMPARISONS:
        reader.problems[at] = f"must hold at most {MAX_COMPARISONS} comparisons"
    elif reader.ranges > MAX_RANGES:
        reader.problems[at] = f"must hold at most {MAX_RANGES} ranges over frontmatter"
    elif reader.values > MAX_ALL_VALUES:
        reader.problems[at] = f"must hold at most {MAX_ALL_VALUES} values in lists"
    if parsed is None or reader.problems:
        raise InvalidFilter(reader.problems)
    return parsed


def is_frontmatter_range(kind: ComparisonType, key: str) -> bool:
    """Says whether a comparison asks for an order of what no column of the tables holds."""
    return kind in _RANGES and key not in _COLUMNS


def check_text(text: str, *, longest: int = MAX_TEXT_LENGTH) -> str:
    """Returns `text`; raises ValueError where it is too long or cannot be equal to any stored text."""
    if len(text) > longest:
        raise ValueError(f"must have at most {longest} characters")
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise ValueError("must not hold lone surrogates")
    return text


class _Reader:
    """Reads one filter and collects what is wrong with it, by place; what it returns then is void."""

    def __init__(self) -> None:
        self.problems: dict[str, str] = {}
        self.comparisons = self.ranges = self.values = 0

    @property
    def _is_hopeless(self) -> bool:
        return len(self.problems) >= MAX_PROBLEMS

    def read(self, content: object, at: str, *, depth: int) -> Filter | None:
        if self._is_hopeless:
            return None
        if not isinstance(content, dict):
            self.problems[at] = "must be an object"
            return None
        kind: object = content.get("type")
        if _is_compound(kind):
            self._check_keys(content, ("type", "filters"), at)
            return self._read_compound(kind, content.get("filters"), f"{at}.filters", depth)
        if _is_comparison(kind):
            self._check_keys(content, ("type", "key", "value"), at)
            return self._read_comparison(kind, content, at)
        known = ", ".join((*get_args(ComparisonType), *get_args(CompoundType)))
        self.problems[f"{at}.type"] = f"must be one of {known}"
        return None

    def _read_compound(self, kind: CompoundType, content: object, at: str, depth: int) -> Compound | None:
        if not isinstance(content, list) or not 1 <= len(content) <= MAX_COMPARISONS:
            self.problems[at] = f"must be a list of 1 to {MAX_COMPARISONS} filters"
            return None
        if depth == MAX_DEPTH:
            self.problems[at] = f"must not be nested deeper than {MAX_DEPTH} levels"
            return None
        read = [self.read(entry, f"{at}[{index}]", depth=depth + 1) for index, entry in enumerate(content)]
        return Compound(type=kind, filters=tuple(entry for entry in read if entry is not None))

    def _read_comparison(
        self, kind: ComparisonType, content: dict[object, object], at: str
    ) -> Comparison | None:
        self.comparisons += 1
        key = self._attempt(f"{at}.key", _read_key, kind, content.get("key"))
        if key is None:
            return None
        self.ranges += is_frontmatter_range(kind, key)
        value, at = content.get("value"), f"{at}.value"
        if kind not in _LISTS:
            single = self._attempt(at, _read_value, kind, key, value)
            return None if single is None else Comparison(type=kind, key=key, value=single)
        if not isinstance(value, list) or not 1 <= len(value) <= MAX_VALUES:
            self.problems[at] = f"must be a list of 1 to {MAX_VALUES} values"
            return None
        self.values += len(value)
        several = [
            self._attempt(f"{at}[{index}]", _read_value, kind, key, entry)
            for index, entry in enumerate(value)
        ]
        return Comparison(type=kind, key=key, value=tuple(entry for entry in several if entry is not None))

    def _check_keys(self, content: dict[object, object], known: tuple[str, ...], at: str) -> None:
        for key in content:
            if self._is_hopeless:
                return
            if key not in known:
                self.problems[f"{at}.{str(key)[:_MAX_NAME_LENGTH]}"] = f"is not one of {', '.join(known)}"

    def _attempt(self, at: str, read: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T | None:
        try:
            return read(*args, **kwargs)
        except ValueError as error:
            self.problems[at] = str(error)
            return None


def _is_compound(kind: object) -> TypeGuard[CompoundType]:
    return kind in get_args(CompoundType)


def _is_comparison(kind: object) -> TypeGuard[ComparisonType]:
    return kind in get_args(ComparisonType)


def _read_key(kind: ComparisonType, key: object) -> str:
    if not isinstance(key, str) or not key:
        raise ValueError("must be a name")
    if key == "tags" and kind in _RANGES:
        raise ValueError("has no order: tags can be compared with eq, ne, in and nin")
    return check_text(key)


def _read_value(kind: ComparisonType, key: str, value: object) -> Scalar:
    if key == "modified":
        return _read_time(value)
    if isinstance(value, str):
        return check_text(value)
    if key in ("path", "tags"):
        raise ValueError("must be text")
    if isinstance(value, bool):
        if kind in _RANGES:
            raise ValueError("has no order: a bool can be compared with eq, ne, in and nin")
        return value
    if isinstance(value, int | float) and _is_finite(value):
        return value
    raise ValueError("must be text, a finite number or a bool")


def _read_time(value: object) -> float:
    """Returns seconds since 1970; a time without a zone is in UTC."""
    if isinstance(value, int | float) and not isinstance(value, bool) and _is_finite(value):
        return float(value)
    try:
        moment = datetime.fromisoformat(value if isinstance(value, str) else "")
        return moment.replace(tzinfo=moment.tzinfo or UTC).timestamp()
    except ValueError:
        raise ValueError("must be an ISO 8601 time or seconds since 1970") from None


def _is_finite(value: float) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:  # an integer beyond every float
        return False
