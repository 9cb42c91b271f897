"""Log records as lines. Whatever a record says, it cannot look like another record or steer a terminal.

`fields` of a record, given as `extra={"fields": ...}`, are a mapping of names to texts, numbers and None; in
JSON they stand beside the record's own.
"""

import json
import logging
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from service.observability.request_id import current_request_id

# Controls, line ends of Unicode, and marks that turn the direction of what follows.
_UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
# What needs no quotes to be told from the next field.
_PLAIN = re.compile(r'[^\s"=]+')


class TextFormatter(logging.Formatter):
    """One line a record; the lines of a traceback follow, indented, so that none begins like a record."""

    def format(self, record: logging.LogRecord) -> str:
        """Returns `TIME LEVEL LOGGER [REQUEST] MESSAGE name=value …` and the traceback."""
        request_id = current_request_id()
        words = [
            _format_moment(record.created),
            record.levelname,
            record.name,
            *([] if request_id is None else [f"[{request_id}]"]),
            record.getMessage(),
            *(f"{name}={_quote(value)}" for name, value in _read_fields(record).items()),
        ]
        trace = _format_trace(self, record)
        lines = [" ".join(words), *("" if trace is None else trace).split("\n")]
        return "\n    ".join(escape_controls(line) for line in lines if line)


class JsonFormatter(logging.Formatter):
    """One JSON object a record, in ASCII, on one line."""

    def format(self, record: logging.LogRecord) -> str:
        """Returns the object; `request_id` and `exception` are there only if there is one."""
        content = {
            "time": _format_moment(record.created),
            "level": record.levelname.lower(),
            "logger": record.name,
            "request_id": current_request_id(),
            "message": record.getMessage(),
            **_read_fields(record),
            "exception": _format_trace(self, record),
        }
        return json.dumps({name: value for name, value in content.items() if value is not None})


def escape_controls(text: str) -> str:
    r"""Returns the text with `\n` for a line feed, `\x1b` for an escape, and so on."""
    return _UNSAFE.sub(lambda found: found[0].encode("unicode_escape").decode("ascii"), text)


def _format_moment(seconds: float) -> str:
    moment = datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")
    return moment.replace("+00:00", "Z")


def _quote(value: Any) -> str:
    text = str(value)
    return text if _PLAIN.fullmatch(text) else json.dumps(text, ensure_ascii=False)


def _read_fields(record: logging.LogRecord) -> Mapping[str, Any]:
    fields: Mapping[str, Any] = getattr(record, "fields", {})
    return {name: value for name, value in fields.items() if value is not None}


def _format_trace(formatter: logging.Formatter, record: logging.LogRecord) -> str | None:
    return formatter.formatException(record.exc_info) if record.exc_info else None
