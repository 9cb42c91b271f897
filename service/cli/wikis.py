"""Which wiki a command is about."""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from retrieval.query_embedder import QUERY_SECONDS
from service.observability.log import set_up_log
from service.sections import WikiSettings
from service.settings import Settings, load_settings
from service.wiring import Application, Wiki

# A command answers one query and ends, so it waits for the model to be loaded.
_MODEL_SECONDS = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class WikiChoice:
    """What the common options say."""

    name: str | None = None
    index: str | None = None
    embedder: str | None = None
    rerank: str | None = None
    cross_encoder: str | None = None
    dialect: str | None = None
    language: str | None = None
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    log_level: str | None = None
    log_format: str | None = None
    file: Path | None = None

    @contextmanager
    def open(self, folder: Path | None = None) -> Iterator[tuple[Application, Wiki]]:
        """Yields the parts of this process and the wiki that is meant.

        Those of the settings stay beside it, so that its citations are the same as those of a service.
        """
        settings = self._load()
        name, wiki = self._select(settings, folder)
        wikis = {**settings.wikis, name: self._adapt(wiki)}
        with _opened(settings, wikis, query_seconds=_MODEL_SECONDS) as application:
            yield application, application.wiki(name)

    @contextmanager
    def open_all(self, folder: Path | None = None) -> Iterator[Application]:
        """Yields the parts for all wikis of the settings, unless one is meant."""
        settings = self._load()
        if not settings.wikis or folder or self.name or self.index:
            selected = dict([self._select(settings, folder)])
        else:
            selected = settings.wikis
        wikis = {name: self._adapt(wiki) for name, wiki in selected.items()}
        with _opened(settings, wikis) as application:
            yield application

    def _load(self) -> Settings:
        flags = {
            "embedder": self.embedder,
            "rerank": self.rerank,
            "cross_encoder": self.cross_encoder,
            "log_level": self.log_level,
            "log_format": self.log_format,
        }
        return load_settings({name: value for name, value in flags.items() if value}, file=self.file)

    def _select(self, settings: Settings, folder: Path | None) -> tuple[str, WikiSettings]:
        """Returns the name and settings of the wiki that is meant.

        A folder or an index that the settings know stands for that wiki, with all its settings; another one
        is a wiki of its own, and takes nothing from the settings of those that have names.
        """
        wikis, own = settings.wikis, self.name or settings.default_wiki
        if folder is not None:
            return _find(wikis, lambda wiki: wiki.root, folder) or (own, WikiSettings(root=folder))
        if self.index is not None and self.name not in wikis:
            known = _find(wikis, lambda wiki: wiki.index_uri, self.index)
            return known or (own, WikiSettings(index=self.index))
        if self.name is None and not wikis:
            return own, WikiSettings(root=Path())
        name = settings.resolve(self.name)
        return name, wikis[name]

    def _adapt(self, wiki: WikiSettings) -> WikiSettings:
        flags: Mapping[str, Any] = {
            "index": self.index,
            "dialect": self.dialect,
            "language": self.language,
            "include": self.include,
            "exclude": self.exclude,
        }
        given = {name: value for name, value in flags.items() if value}
        return WikiSettings.model_validate({**wiki.model_dump(), **given})


def _find(
    wikis: Mapping[str, WikiSettings], place: Callable[[WikiSettings], Path | str | None], wanted: Path | str
) -> tuple[str, WikiSettings] | None:
    """Returns the wiki whose `place` is the wanted one, however either is written."""
    return next((entry for entry in wikis.items() if _is_same(place(entry[1]), wanted)), None)


def _is_same(place: Path | str | None, wanted: Path | str) -> bool:
    if place is None or "://" in f"{place}{wanted}":
        return place == wanted
    return os.path.realpath(place) == os.path.realpath(wanted)


@contextmanager
def _opened(
    settings: Settings, wikis: Mapping[str, WikiSettings], *, query_seconds: float = QUERY_SECONDS
) -> Iterator[Application]:
    set_up_log(settings)
    adapted = settings.model_copy(update={"wikis": wikis})
    application = Application(adapted, query_seconds=query_seconds)
    try:
        yield application
    finally:
        application.close()
