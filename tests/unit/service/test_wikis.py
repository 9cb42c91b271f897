"""Which wiki a command line means."""

import logging
from dataclasses import replace
from pathlib import Path

import pytest

from retrieval.query_embedder import QUERY_SECONDS
from service.cli import wikis
from service.cli.wikis import WikiChoice
from service.errors import WikiMissing
from service.sections import WikiSettings
from service.settings import Settings
from service.wiring import Application


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def configured(elsewhere: Path) -> Path:
    for name in ("notes", "docs", "other"):
        (elsewhere / name).mkdir()
    (elsewhere / "wikitrail.toml").write_text(
        'default_wiki = "docs"\n'
        '[wikis.notes]\nroot = "notes"\nindex = "notes-index"\nexclude = ["drafts"]\n'
        '[wikis.docs]\nroot = "docs"\ndialect = "dendron"\n'
    )
    return elsewhere


CHOICE = WikiChoice(embedder="none")


def meant(choice: WikiChoice, folder: Path | None = None) -> tuple[str, WikiSettings]:
    with choice.open(folder) as (_, wiki):
        return wiki.name, wiki.settings


def test_without_settings_it_is_the_current_folder() -> None:
    name, wiki = meant(CHOICE)
    assert (name, wiki.root, wiki.index_uri) == ("default", Path(), ".wikitrail")


def test_an_index_alone_has_no_folder_to_look_into() -> None:
    _, wiki = meant(replace(CHOICE, index="s3://bucket/index"))
    assert (wiki.root, wiki.index_uri) == (None, "s3://bucket/index")


def test_the_default_wiki_of_the_settings(configured: Path) -> None:
    name, wiki = meant(CHOICE)
    assert (name, wiki.dialect) == ("docs", "dendron")


def test_a_wiki_by_name(configured: Path) -> None:
    name, wiki = meant(replace(CHOICE, name="notes"))
    assert (name, wiki.index_uri) == ("notes", "notes-index")
    with pytest.raises(WikiMissing):
        meant(replace(CHOICE, name="nope"))


def test_a_folder_or_index_that_the_settings_know(configured: Path) -> None:
    assert meant(CHOICE, configured / "docs" / ".." / "notes")[0] == "notes"
    assert meant(replace(CHOICE, index=str(configured / "notes-index")))[0] == "notes"


def test_another_folder_or_index_takes_nothing_from_those_with_names(configured: Path) -> None:
    _, wiki = meant(CHOICE, Path("other"))
    assert (wiki.root, wiki.index_uri, wiki.dialect) == (Path("other"), "other/.wikitrail", "obsidian")
    _, wiki = meant(replace(CHOICE, index="other-index"))
    assert (wiki.root, wiki.dialect) == (None, "obsidian")


def test_flags_go_before_the_settings_of_a_wiki(configured: Path) -> None:
    flags = replace(
        CHOICE, name="notes", index="elsewhere", exclude=("private",), dialect="logseq", language="de-AT"
    )
    _, wiki = meant(flags)
    assert (wiki.root, wiki.index_uri) == (Path("notes"), "elsewhere")
    assert (wiki.exclude, wiki.dialect) == (("private",), "logseq")
    assert wiki.language == "de"


def test_all_wikis_unless_one_is_meant(configured: Path) -> None:
    with CHOICE.open_all() as application:
        assert list(application.settings.wikis) == ["notes", "docs"]
    with replace(CHOICE, name="docs").open_all() as application:
        assert list(application.settings.wikis) == ["docs"]


def test_citations_are_those_of_the_service(configured: Path) -> None:
    with CHOICE.open_all() as served, replace(CHOICE, name="notes").open() as (application, _):
        assert application.settings.wikis == served.settings.wikis
        assert application.settings.resolve() == served.settings.resolve()


def test_the_log_does_not_repeat_what_servers_say(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WIKITRAIL_LOG_LEVEL", "debug")
    meant(CHOICE)
    for name in ("httpx2", "httpcore2.http11"):
        assert not logging.getLogger(name).isEnabledFor(logging.INFO)


def test_a_command_waits_for_the_model_to_load_and_a_service_does_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[float] = []

    def record(settings: Settings, *, query_seconds: float) -> Application:
        waits.append(query_seconds)
        return Application(settings, query_seconds=query_seconds)

    monkeypatch.setattr(wikis, "Application", record)
    choice = WikiChoice(embedder="none")
    with choice.open(tmp_path), choice.open_all(tmp_path):
        pass
    assert waits == [60.0, QUERY_SECONDS]
