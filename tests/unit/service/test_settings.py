"""Settings: which source wins, and what is refused."""

from pathlib import Path

import pytest

from service.errors import InvalidSettings, WikiMissing
from service.settings import Settings, load_settings


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(folder: Path, text: str, name: str = "wikitrail.toml") -> Path:
    file = folder / name
    file.write_text(text)
    return file


def test_without_any_source_there_are_the_defaults() -> None:
    settings = load_settings()
    assert (settings.embedder, settings.wikis, settings.server.port) == ("minilm", {}, 8123)


def test_a_flag_goes_before_the_environment_and_that_before_the_file(
    elsewhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(elsewhere, 'embedder = "of-file"\nlog_level = "info"\n[server]\nport = 1\nhost = "h"\n')
    assert load_settings().embedder == "of-file"
    monkeypatch.setenv("WIKITRAIL_EMBEDDER", "of-environment")
    monkeypatch.setenv("WIKITRAIL_SERVER__PORT", "2")
    settings = load_settings()
    assert (settings.embedder, settings.log_level) == ("of-environment", "info")
    assert (settings.server.port, settings.server.host) == (2, "h")
    assert load_settings({"embedder": "of-flag"}).embedder == "of-flag"


def test_wikis_can_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WIKITRAIL_WIKIS__notes__ROOT", "/wiki")
    monkeypatch.setenv("WIKITRAIL_WIKIS__notes__INDEX", "s3://bucket/index")
    assert load_settings().wikis["notes"].index_uri == "s3://bucket/index"


def test_the_file_is_named_by_flag_before_variable_before_place(
    elsewhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(elsewhere, 'embedder = "place"\n')
    monkeypatch.setenv("WIKITRAIL_SETTINGS", str(write(elsewhere, 'embedder = "variable"\n', "a.toml")))
    assert load_settings().embedder == "variable"
    assert load_settings(file=write(elsewhere, 'embedder = "flag"\n', "b.toml")).embedder == "flag"


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("embeder = 1", "embeder"),
        ("[server]\nprot = 1", "server.prot"),
        ("[server]\nport = 'x'", "server.port"),
        ("[wikis.a]\ndialect = 'obsidian'", "wikis.a"),
        ("[wikis.a]\nroot = '.'\ndialect = 'latin'", "wikis.a.dialect"),
        ("[wikis.a]\nroot = '.'\nlanguage = 'klingon'", "wikis.a.language"),
        ("rerank = 'magic'", "rerank"),
        ("rerank = 'cross-encoder'", "rerank: set `cross_encoder`"),
        ("rerank = 'maxsim'\nembedder = 'none'", "rerank: maxsim needs an embedder"),
        ("[llm]\nbase_url = 'ftp://host/v1'\nmodel = 'm'", "llm.base_url"),
        ("[llm]\nbase_url = 'https://me:secret@host/v1'\nmodel = 'm'", "llm.base_url"),
        ("[llm]\nbase_url = 'https://host/v1'", "llm: .*model"),
        ("[llm]\non = 'always'", "llm.on"),
        ("[llm]\ntimeout = 0", "llm.timeout"),
        ("= 1", "not TOML"),
        ("embedder = '\xff'", "not TOML"),
        (f"embedder = {'[' * 100_000}", "not TOML"),
    ],
)
def test_a_wrong_file_names_the_setting(elsewhere: Path, text: str, named: str) -> None:
    (elsewhere / "wikitrail.toml").write_bytes(text.encode("latin-1"))
    with pytest.raises(InvalidSettings, match=named):
        load_settings()


@pytest.mark.parametrize("name", ["WIKITRAIL_EMBEDER", "WIKITRAIL_SERVER__PROT", "WIKITRAIL_SERVERS__PORT"])
def test_a_misspelt_variable_is_named(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv(name, "1")
    with pytest.raises(InvalidSettings, match=f"(?i){name.rpartition('_')[2]}"):
        load_settings()


def test_a_file_that_is_not_there_is_named(elsewhere: Path) -> None:
    with pytest.raises(InvalidSettings, match=r"none\.toml"):
        load_settings(file=elsewhere / "none.toml")


def test_a_token_is_told_to_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WIKITRAIL_API_TOKEN", "sk-secret")
    monkeypatch.setenv("WIKITRAIL_LOG_LEVEL", "sk-secret")
    with pytest.raises(InvalidSettings) as caught:
        load_settings()
    assert "sk-secret" not in str(caught.value)
    monkeypatch.delenv("WIKITRAIL_LOG_LEVEL")
    assert "sk-secret" not in repr(load_settings())


def test_the_only_wiki_is_the_default_one() -> None:
    assert Settings(wikis={"notes": {"root": "."}}).resolve() == "notes"
    several = Settings(wikis={"a": {"root": "."}, "b": {"root": "."}}, default_wiki="b")
    assert (several.resolve(), several.resolve("a")) == ("b", "a")
    with pytest.raises(WikiMissing, match="'c'; configured: a, b"):
        several.resolve("c")


def test_the_key_of_the_language_model_is_kept_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WIKITRAIL_LLM__API_KEY", "sk-secret")
    settings = load_settings()
    assert settings.llm.api_key is not None
    assert settings.llm.api_key.get_secret_value() == "sk-secret"
    assert "sk-secret" not in repr(settings)
    monkeypatch.setenv("WIKITRAIL_LLM__BASE_URL", "https://me:sk-secret@host/v1")
    with pytest.raises(InvalidSettings) as caught:
        load_settings()
    assert "sk-secret" not in str(caught.value)
