"""Log records as lines."""

import json
import logging
import sys
from contextvars import Context

import pytest

from service.observability.records import JsonFormatter, TextFormatter
from service.observability.request_id import begin_request

FORGED = "a\n2026-01-01T00:00:00.000Z ERROR root all is lost\r\x1b[2J\x85\u2028\u202etxt.exe"


def make_record(message: str, *args: object, **values: object) -> logging.LogRecord:
    content = {"name": "service.access", "levelname": "INFO", "created": 1_700_000_000.25, **values}
    return logging.makeLogRecord({**content, "msg": message, "args": args})


def write(formatter: logging.Formatter, record: logging.LogRecord, request_id: str | None = None) -> str:
    """Formats a record, within a request or outside of any."""

    def run() -> str:
        if request_id is not None:
            begin_request(request_id)
        return formatter.format(record)

    return Context().run(run)


@pytest.fixture
def failure() -> logging.LogRecord:
    try:
        raise ValueError(FORGED)
    except ValueError:
        return make_record("it failed", exc_info=sys.exc_info())


def test_a_record_is_a_line_of_text() -> None:
    record = make_record("done with %s", "it", fields={"status": 200, "wiki": "my docs", "level": None})
    head, fields = "2023-11-14T22:13:20.250Z INFO service.access", 'done with it status=200 wiki="my docs"'
    assert write(TextFormatter(), record) == f"{head} {fields}"
    assert write(TextFormatter(), record, "abc-1") == f"{head} [abc-1] {fields}"


def test_a_record_is_an_object_on_one_line() -> None:
    record = make_record("done with %s", "it", fields={"status": 200, "wiki": "my docs", "level": None})
    expected = {
        "time": "2023-11-14T22:13:20.250Z",
        "level": "info",
        "logger": "service.access",
        "message": "done with it",
        "status": 200,
        "wiki": "my docs",
    }
    assert json.loads(write(JsonFormatter(), record)) == expected
    assert json.loads(write(JsonFormatter(), record, "abc-1")) == {**expected, "request_id": "abc-1"}


def test_nothing_that_is_logged_looks_like_another_record(failure: logging.LogRecord) -> None:
    for record in (make_record("%s", FORGED), make_record("x", fields={"client": FORGED}), failure):
        text, line = write(TextFormatter(), record), write(JsonFormatter(), record)
        assert all(shown.startswith("    ") for shown in text.split("\n")[1:])
        assert not {"\r", "\x1b", "\x85", "\u2028", "\u202e"} & set(text)
        assert "ERROR root all is lost" in text
        assert line.isascii()
        assert line.isprintable()
        assert any(FORGED in str(value) for value in json.loads(line).values())


def test_a_field_cannot_stand_for_two() -> None:
    record = make_record("x", fields={"client": '1.2.3.4 status=200 "'})
    assert write(TextFormatter(), record).endswith('x client="1.2.3.4 status=200 \\""')


def test_a_traceback_follows_its_record(failure: logging.LogRecord) -> None:
    first, *others = write(TextFormatter(), failure).split("\n")
    assert first.endswith("INFO service.access it failed")
    assert others[0] == "    Traceback (most recent call last):"
    assert json.loads(write(JsonFormatter(), failure))["exception"].startswith("Traceback")


def test_text_that_is_not_unicode_can_be_logged() -> None:
    assert json.loads(write(JsonFormatter(), make_record("%s", "a\ud800b")))["message"] == "a\ud800b"
