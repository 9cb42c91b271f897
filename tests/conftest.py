"""Fixtures that every kind of test shares."""

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Registers what tests/cases takes; here, because options are asked for before that folder is read."""
    parser.addoption("--cases", metavar="FILE", help="run the conformance cases of this file")


@pytest.fixture
def anyio_backend() -> str:
    """Asynchronous tests run on asyncio, as the service does."""
    return "asyncio"
