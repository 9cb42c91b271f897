"""Reading values that several tables hold in the same columns."""

from collections.abc import Mapping
from typing import Any

from chunking.model import Span

SPAN_COLUMNS = ("line_start", "line_end", "char_start", "char_end")


def read_span(row: Mapping[str, Any]) -> Span:
    """Returns the place in its page that a row tells of."""
    return Span(**{column: row[column] for column in SPAN_COLUMNS})
