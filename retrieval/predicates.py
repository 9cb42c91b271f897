"""Text of SQL predicates: the only place where a value becomes a literal."""

from collections.abc import Iterable


def quote(value: str) -> str:
    """Returns `value` as an SQL string literal: a single quote is doubled, and nothing else is special."""
    return "'" + value.replace("'", "''") + "'"


def in_predicate(column: str, values: Iterable[str]) -> str:
    """Returns the predicate that `column` is one of `values`; no values match no row."""
    literals = ", ".join(quote(value) for value in values)
    return f"{column} IN ({literals})" if literals else "false"
