"""What a service counts while it runs.

Every label has few values, all known beforehand: names of wikis, codes of the closed lists, routes as they
are declared. Nothing that a client, a page or a provider wrote gets in.
"""

from collections.abc import Iterable
from typing import get_args

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, disable_created_metrics
from prometheus_client.process_collector import ProcessCollector

from retrieval.pack import EvidencePack
from retrieval.warnings import Code, Level, Reason

_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)

# The text format has no place for the time when a counter began; it would be a gauge beside each of them.
disable_created_metrics()  # type: ignore[no-untyped-call]  # the library left out its types


class Metrics:
    """The counters of one service over these wikis, and the figures of its process, in one registry."""

    def __init__(self, wikis: Iterable[str]) -> None:
        self.registry = CollectorRegistry()
        self.requests = RequestCounters(self.registry)
        self.queries = QueryCounters(self.registry, wikis)
        ProcessCollector(registry=self.registry)


class RequestCounters:
    """HTTP requests by route, method and status, those that were refused included."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self.in_flight = Gauge("wikitrail_http_requests_in_flight", "Requests under way.", registry=registry)
        self._total = Counter(
            "wikitrail_http_requests",
            "Requests, refused ones included; the status is none where no answer was begun.",
            ["route", "method", "status"],
            registry=registry,
        )
        self._seconds = Histogram(
            "wikitrail_http_request_duration_seconds",
            "Time from a request to the end of its answer.",
            ["route", "method"],
            buckets=_SECONDS,
            registry=registry,
        )

    def count(self, *, route: str, method: str, status: int | None, seconds: float) -> None:
        """Counts a request that is over."""
        self._total.labels(route, method, "none" if status is None else status).inc()
        self._seconds.labels(route, method).observe(seconds)


class QueryCounters:
    """Queries: at which level they were answered, with which warnings, and where their time went.

    All that an answer may be begins at zero, so that the first one is seen as a change.
    """

    def __init__(self, registry: CollectorRegistry, wikis: Iterable[str]) -> None:
        self._total = Counter(
            "wikitrail_queries",
            "Queries answered, by the level of the dense lane and whether there was an answer in the wiki.",
            ["wiki", "level", "answerable"],
            registry=registry,
        )
        self._degraded = Counter(
            "wikitrail_degraded_queries",
            "Queries answered with less than full passage vectors.",
            ["wiki", "reason"],
            registry=registry,
        )
        self._warnings = Counter(
            "wikitrail_warnings", "Warnings in answers.", ["wiki", "code"], registry=registry
        )
        self._seconds = Histogram(
            "wikitrail_query_duration_seconds",
            "Time of a query within one state of the index.",
            ["wiki"],
            buckets=_SECONDS,
            registry=registry,
        )
        self._stage_seconds = Histogram(
            "wikitrail_query_stage_duration_seconds",
            "Time of a query by stage; embedding and lexical run beside each other.",
            ["stage"],
            buckets=_SECONDS,
            registry=registry,
        )
        for wiki in wikis:
            self._begin(wiki)

    def count(self, pack: EvidencePack) -> None:
        """Counts an answer."""
        self._total.labels(pack.wiki, pack.retrieval.level, _tell(pack.answerable)).inc()
        for warning in pack.warnings:
            self._warnings.labels(pack.wiki, warning.code).inc()
            if warning.code == "embedding-degraded":
                self._degraded.labels(pack.wiki, warning.reason).inc()
        for stage, milliseconds in pack.retrieval.timings_ms.items():
            whole = stage == "total"
            histogram = self._seconds.labels(pack.wiki) if whole else self._stage_seconds.labels(stage)
            histogram.observe(milliseconds / 1000)

    def _begin(self, wiki: str) -> None:
        for level in get_args(Level):
            for answerable in (True, False):
                self._total.labels(wiki, level, _tell(answerable))
        for reason in get_args(Reason):
            self._degraded.labels(wiki, reason)
        for code in get_args(Code):
            self._warnings.labels(wiki, code)


def _tell(value: bool) -> str:
    return "true" if value else "false"
