"""The root of every error that wikitrail raises on purpose.

    WikitrailError
    ├── UndecodablePage      (chunking.decode)    the bytes of a page are no text
    ├── StoreError           (retrieval.store)    the index cannot be read or written
    ├── EmbedderError        (retrieval.embedding) the model cannot be loaded or failed
    ├── ScorerError          (retrieval.embedding) the cross-encoder cannot be loaded or failed
    ├── ChooserError         (retrieval.llm)      the language model is down, too slow or of no use
    ├── InvalidFilter        (retrieval.filters)  a filter does not fit the grammar
    ├── PageMissing          (retrieval.errors)   there is no such page
    ├── SectionMissing       (retrieval.errors)   the page has no such section or lines
    ├── RerankMissing        (retrieval.errors)   a second stage of ranking is not set up
    ├── IndexRunError        (indexer.errors)     a run cannot go on
    ├── InvalidSettings      (service.errors)     a setting has a wrong name or value
    ├── WikiMissing          (service.errors)     no wiki has this name
    ├── FolderUnknown        (service.errors)     a wiki is known by its index alone
    ├── AddressUnavailable   (service.errors)     the service cannot listen there
    ├── InvalidSet           (service.errors)     an evaluation set has a wrong file
    └── InvalidGate          (service.errors)     floors of an evaluation are wrong

Each class carries a stable `code`; `service.http.problems` maps every class to an HTTP answer.
"""

from typing import ClassVar


class WikitrailError(Exception):
    """An expected failure; its message names the thing that is wrong and what to do about it."""

    code: ClassVar[str] = "error"
