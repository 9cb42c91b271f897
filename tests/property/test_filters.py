"""Laws of filters that hold for any values."""

from hypothesis import given
from hypothesis import strategies as st

from retrieval.filters import Comparison, InvalidFilter, parse_filter
from retrieval.predicates import attributes, compile_filter, matches, quote

TEXTS = st.text(st.characters(exclude_categories=("Cs",)), max_size=8)
SCALARS = st.one_of(TEXTS, st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.booleans())
KEYS = TEXTS.filter(lambda key: key not in ("", "path", "tags", "modified"))
VALUES = st.dictionaries(KEYS, st.one_of(SCALARS, st.lists(SCALARS).map(tuple)), max_size=4)
JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["type", "key", "value", "filters", "x"]), inner, max_size=4)
        | st.fixed_dictionaries(
            {"type": st.sampled_from(["and", "or", "eq", "in", "gt"]), "key": inner, "value": inner}
        )
    ),
    max_leaves=20,
)


def no_pages(comparison: Comparison) -> list[str]:
    raise AssertionError(f"{comparison} is no range")


@given(st.sampled_from(["eq", "ne", "in", "nin"]), KEYS, st.lists(SCALARS, min_size=1, max_size=3), VALUES)
def test_predicate_over_attributes_says_what_matching_says(
    kind: str, key: str, wanted: list[object], values: dict[str, object]
) -> None:
    parsed = parse_filter({"type": kind, "key": key, "value": wanted if kind in ("in", "nin") else wanted[0]})
    assert isinstance(parsed, Comparison)
    predicate = compile_filter(parsed, no_pages)
    present = any(f"{quote(attribute)}" in predicate for attribute in attributes(values))
    assert matches(parsed, values) == (present != predicate.startswith("NOT ("))


@given(TEXTS)
def test_literal_is_read_back_as_its_value(value: str) -> None:
    literal = quote(value)
    assert literal[0] == literal[-1] == "'"
    assert literal[1:-1].replace("''", "") == value.replace("'", "")
    assert literal[1:-1].replace("''", "'") == value


@given(JSON)
def test_any_content_is_a_filter_or_refused_by_name(content: object) -> None:
    try:
        parsed = parse_filter(content)
        places = [compile_filter(parsed, lambda _: [])]
    except InvalidFilter as error:
        places = [at for at in error.problems if at.startswith("filters")]
    assert places
