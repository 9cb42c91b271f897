"""What is read when somebody looks: the indexes, the embedder and the jobs of a service, as gauges."""

import asyncio
import logging
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TypeVar, get_args

from prometheus_client.core import GaugeMetricFamily, Metric

from chunking import WikitrailError
from retrieval.failures import count_failed_pages
from retrieval.query_embedder import EmbedderState
from retrieval.store import Generation, Snapshot
from service.jobs.job import Job, JobState
from service.wire.status import CountsAnswer
from service.wiring import Application, Wiki

READ_SECONDS = 2.0
"""How long a look waits for an index. It waits for all of them at once."""

_COUNTS = {
    "pages": "Pages of the index.",
    "chunks": "Passages of the index.",
    "page_vectors": "Pages that have their vector.",
    "links": "Links of the pages.",
    "issues": "What is wrong with pages and files.",
}
_CHUNK_STATES = ("embedded", "pending", "failed")
_FINE: tuple[EmbedderState, ...] = ("disabled", "loading", "ready")
_FAILING: tuple[EmbedderState, ...] = ("embedder-loading", "embedder-timeout", "embedder-unavailable")

_Labels = TypeVar("_Labels", bound=tuple[str, ...])
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexReading:
    """The state of an index that is served, and how many pages were not read or embedded in full."""

    generation: Generation
    failed_pages: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Readings:
    """A look at a service: indexes by wiki, None where one could not be read; jobs, the newest first."""

    indexes: Mapping[str, IndexReading | None]
    embedder: EmbedderState
    jobs: Sequence[Job]

    def collect(self) -> Iterator[Metric]:
        """Yields the gauges."""
        yield from _describe_indexes(self.indexes)
        yield from _describe_embedder(self.embedder)
        yield from _describe_jobs(self.jobs, wikis=tuple(self.indexes))


async def read_service(application: Application, jobs: Sequence[Job]) -> Readings:
    """Looks at a service, for a bounded time and whatever is wrong with it."""
    found = await asyncio.gather(*(_read_index(wiki) for wiki in application.wikis.values()))
    embedder = application.query_embedder
    return Readings(
        indexes=dict(zip(application.wikis, found, strict=True)),
        embedder="disabled" if embedder is None else embedder.state,
        jobs=jobs,
    )


async def _read_index(wiki: Wiki) -> IndexReading | None:
    try:
        async with asyncio.timeout(READ_SECONDS):
            return await wiki.reader.read(_read_snapshot)
    except TimeoutError:
        _log.warning("wiki %r has no metrics: its index was not read in time", wiki.name)
    except WikitrailError as error:
        _log.info("wiki %r has no metrics: %s", wiki.name, error)
    except Exception:  # whatever is wrong with one wiki must not hide the figures of the others
        _log.exception("wiki %r has no metrics", wiki.name)
    return None


async def _read_snapshot(snapshot: Snapshot) -> IndexReading:
    failed = await count_failed_pages(snapshot, path_prefix="")
    return IndexReading(generation=snapshot.generation, failed_pages=failed)


def _describe_indexes(indexes: Mapping[str, IndexReading | None]) -> Iterator[Metric]:
    up = {(wiki,): reading is not None for wiki, reading in indexes.items()}
    readings = {(wiki,): reading for wiki, reading in indexes.items() if reading is not None}
    generations = {wiki: reading.generation for wiki, reading in readings.items()}
    counts = {wiki: CountsAnswer.of(generation) for wiki, generation in generations.items()}
    yield _gauge("wiki_up", "Whether the index of a wiki can be read.", ["wiki"], up)
    yield _gauge(
        "index_generation",
        "The state of the index that is served.",
        ["wiki"],
        {wiki: generation.number for wiki, generation in generations.items()},
    )
    yield _gauge(
        "index_created_timestamp_seconds",
        "When that state was published.",
        ["wiki"],
        {wiki: generation.created for wiki, generation in generations.items()},
    )
    yield _gauge(
        "index_failed_pages",
        "Pages that could not be read, or not embedded in full.",
        ["wiki"],
        {wiki: reading.failed_pages for wiki, reading in readings.items()},
    )
    for name, documentation in _COUNTS.items():
        values = {wiki: getattr(totals, name) for wiki, totals in counts.items()}
        yield _gauge(f"index_{name}", documentation, ["wiki"], values)
    by_state = {
        (*wiki, state): getattr(totals, state) for wiki, totals in counts.items() for state in _CHUNK_STATES
    }
    yield _gauge(
        "index_chunk_vectors", "Passages by what became of their vector.", ["wiki", "state"], by_state
    )


def _describe_embedder(state: EmbedderState) -> Iterator[Metric]:
    states = {(possible,): possible == state for possible in (*_FINE, *_FAILING)}
    yield _gauge("embedder_state", "1 for the state of what embeds queries.", ["state"], states)
    is_open = {(): state not in _FINE}
    yield _gauge("embedder_breaker_open", "Whether queries go without waiting for a vector.", [], is_open)


def _describe_jobs(jobs: Sequence[Job], *, wikis: Sequence[str]) -> Iterator[Metric]:
    numbers = Counter((job.wiki, job.state) for job in jobs)
    states = {key: numbers[key] for key in product(wikis, get_args(JobState))}
    yield _gauge("jobs", "Index jobs that are remembered.", ["wiki", "state"], states)
    last = {(job.wiki, job.mode, job.state): job for job in reversed(jobs) if job.is_over}
    yield _gauge(
        "job_finished_timestamp_seconds",
        "When the last index job of a mode came to such an end.",
        ["wiki", "mode", "state"],
        {key: job.finished for key, job in last.items() if job.finished is not None},
    )
    yield _gauge(
        "job_duration_seconds",
        "How long that job ran.",
        ["wiki", "mode", "state"],
        {key: job.seconds for key, job in last.items() if job.seconds is not None},
    )


def _gauge(name: str, documentation: str, labels: Sequence[str], values: Mapping[_Labels, float]) -> Metric:
    family = GaugeMetricFamily(f"wikitrail_{name}", documentation, labels=labels)
    for key, value in values.items():
        family.add_metric(key, value)
    return family
