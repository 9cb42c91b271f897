"""What the package offers is what it says it offers."""

import chunking


def test_every_public_name_exists() -> None:
    assert all(hasattr(chunking, name) for name in chunking.__all__)


def test_expected_failures_have_one_root_and_codes_of_their_own() -> None:
    assert issubclass(chunking.UndecodablePage, chunking.WikitrailError)
    assert chunking.UndecodablePage.code == "page-undecodable"
