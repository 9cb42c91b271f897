"""A query gets its vector or the reason why not, and a bad embedder does harm only as long as it is bad."""

import asyncio
import logging
import threading
import time
from collections.abc import Iterator, Sequence

import numpy as np
import pytest
from fakes import REMOTE, FakeEmbedder

from retrieval import query_embedder
from retrieval.embedding.port import EmbeddingRole, Vectors
from retrieval.embedding.space import StoredSpace, embed_probes, found_space
from retrieval.query_embedder import QueryEmbedder, QueryVector
from retrieval.store import Vector

pytestmark = pytest.mark.anyio

SHORT = 0.05
LONG = 20.0
THREADS = 8
LOADING = QueryVector(reason="embedder-loading")
TIMEOUT = QueryVector(reason="embedder-timeout")
UNAVAILABLE = QueryVector(reason="embedder-unavailable")
MISMATCH = QueryVector(reason="space-mismatch")


class BrokenEmbedder(FakeEmbedder):
    """Breaks the promise of the port: raises what nobody expects, or gives no vectors."""

    broken: Exception | None = None
    forgetful = False

    def embed(self, texts: Sequence[str], role: EmbeddingRole) -> Vectors:
        if self.broken is not None:
            raise self.broken
        return super().embed(texts[:0] if self.forgetful else texts, role)


@pytest.fixture
def embedder() -> Iterator[BrokenEmbedder]:
    embedder = BrokenEmbedder()
    yield embedder
    embedder.release()


@pytest.fixture
def space(embedder: FakeEmbedder) -> StoredSpace:
    return space_of(embedder)


def space_of(embedder: FakeEmbedder) -> StoredSpace:
    """Returns the space that an index made with this embedder has, and forgets that it was asked."""
    space = found_space(embedder.space, embed_probes(embedder))
    embedder.forget()
    return space


def vector_of(embedder: FakeEmbedder, query: str) -> Vector:
    return embedder.embed([query], "query")[0]


async def until_idle() -> None:
    """Waits until no thread embeds a query any more."""
    while any(thread.name == "query-embedding" for thread in threading.enumerate()):
        await asyncio.sleep(0.01)


async def test_a_query_has_the_vector_that_the_embedder_gives(
    embedder: FakeEmbedder, space: StoredSpace
) -> None:
    queries = QueryEmbedder(embedder)
    found = await queries.embed("roll back", space)
    assert found.reason is None
    assert found.vector is not None
    assert np.array_equal(found.vector, vector_of(embedder, "roll back"))


@pytest.mark.parametrize(("backend", "witnesses"), [("fake", 0), (REMOTE, 1)])
async def test_all_probes_go_with_the_first_query_and_one_with_each_to_an_endpoint(
    backend: str, witnesses: int
) -> None:
    embedder = FakeEmbedder(backend=backend)
    space = space_of(embedder)
    queries = QueryEmbedder(embedder)
    await queries.embed("one", space)
    assert (embedder.count("query"), embedder.probed) == (1, 3 + witnesses)
    await queries.embed("two", space)
    assert (embedder.count("query"), embedder.probed) == (2, 3 + 2 * witnesses)


async def test_a_query_is_embedded_once_even_while_the_embedder_is_down(
    embedder: FakeEmbedder, space: StoredSpace
) -> None:
    queries = QueryEmbedder(embedder)
    first = await queries.embed("one", space)
    embedder.raising = True
    assert await queries.embed("two", space) == UNAVAILABLE
    again = await queries.embed("one", space)
    assert again.vector is first.vector
    assert embedder.count("query") == 1


async def test_the_query_used_longest_ago_is_forgotten_first(
    embedder: FakeEmbedder, space: StoredSpace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(query_embedder, "_CACHED_QUERIES", 2)
    queries = QueryEmbedder(embedder)
    for query in ("one", "two", "one", "three", "one", "two"):
        await queries.embed(query, space)
    assert [text for _, text in embedder.embedded] == ["one", "two", "three", "two"]


async def test_an_embedder_that_cannot_be_of_the_space_is_not_asked(space: StoredSpace) -> None:
    other = FakeEmbedder(model="other")
    assert await QueryEmbedder(other).embed("one", space) == MISMATCH
    assert other.requests == 0


async def test_a_model_that_moved_to_another_name_or_backend_is_of_the_space(space: StoredSpace) -> None:
    for same in (FakeEmbedder(model="moved", weights="fake"), FakeEmbedder(backend=REMOTE)):
        assert (await QueryEmbedder(same).embed("one", space)).vector is not None


async def test_another_model_behind_the_same_name_is_not_of_the_space() -> None:
    space = space_of(FakeEmbedder(backend=REMOTE, weights="old"))
    queries = QueryEmbedder(FakeEmbedder(backend=REMOTE, weights="new"))
    assert await queries.embed("one", space) == MISMATCH
    assert await queries.embed("one", space) == MISMATCH
    assert queries.state == "ready"


async def test_a_model_that_changes_behind_its_name_is_noticed_with_the_next_query() -> None:
    embedder = FakeEmbedder(backend=REMOTE, weights="old")
    old = space_of(embedder)
    queries = QueryEmbedder(embedder)
    await queries.embed("one", old)
    embedder.weights = "new"
    assert await queries.embed("two", old) == MISMATCH
    assert await queries.embed("one", old) == MISMATCH
    new = space_of(embedder)
    found = await queries.embed("one", new)
    assert np.array_equal(np.asarray(found.vector), vector_of(embedder, "one"))


async def test_a_vector_kept_of_the_old_model_is_not_searched_in_the_new_space() -> None:
    embedder = FakeEmbedder(backend=REMOTE, weights="old")
    queries = QueryEmbedder(embedder)
    await queries.embed("one", space_of(embedder))
    embedder.weights = "new"
    found = await queries.embed("one", space_of(embedder))
    assert np.array_equal(np.asarray(found.vector), vector_of(embedder, "one"))


async def test_a_failure_is_told_and_the_next_query_tries_again(
    embedder: FakeEmbedder, space: StoredSpace
) -> None:
    queries = QueryEmbedder(embedder)
    embedder.raising = True
    assert await queries.embed("one", space) == UNAVAILABLE
    assert queries.state == "embedder-unavailable"
    assert await queries.embed("one", space) == UNAVAILABLE
    assert embedder.requests == 2
    embedder.recover()
    assert (await queries.embed("one", space)).vector is not None
    assert queries.state == "ready"


@pytest.mark.parametrize("fault", ["broken", "forgetful", "wrong_dimension", "nan_on"])
async def test_whatever_goes_wrong_the_query_does_not_wait(
    embedder: BrokenEmbedder, space: StoredSpace, fault: str, caplog: pytest.LogCaptureFixture
) -> None:
    faults = {"broken": RuntimeError("secret of the provider"), "nan_on": "one"}
    setattr(embedder, fault, faults.get(fault, True))
    queries = QueryEmbedder(embedder, seconds=LONG)
    begun = time.monotonic()
    with caplog.at_level(logging.WARNING):
        assert await queries.embed("one", space) == UNAVAILABLE
    assert time.monotonic() - begun < LONG / 4
    assert "could not be embedded" in caplog.text
    assert ("secret of the provider" in caplog.text) == (fault == "broken")


async def test_a_lasting_failure_is_a_warning_once(
    embedder: FakeEmbedder, space: StoredSpace, caplog: pytest.LogCaptureFixture
) -> None:
    embedder.raising = True
    queries = QueryEmbedder(embedder)
    await queries.embed("one", space)
    caplog.clear()
    with caplog.at_level(logging.WARNING):
        await queries.embed("one", space)
    assert caplog.text == ""


async def test_a_hanging_embedder_is_loading_before_its_first_answer(
    embedder: FakeEmbedder, space: StoredSpace
) -> None:
    queries = QueryEmbedder(embedder, seconds=SHORT)
    embedder.hang_seconds = LONG
    assert await queries.embed("one", space) == LOADING
    assert queries.state == "embedder-loading"


async def test_a_hanging_embedder_is_late_after_its_first_answer(
    embedder: FakeEmbedder, space: StoredSpace
) -> None:
    queries = QueryEmbedder(embedder, seconds=SHORT)
    await queries.embed("one", space)
    embedder.hang_seconds = LONG
    assert await queries.embed("two", space) == TIMEOUT
    assert queries.state == "embedder-timeout"


async def test_a_late_answer_is_kept_and_closes_the_breaker(
    embedder: FakeEmbedder, space: StoredSpace
) -> None:
    queries = QueryEmbedder(embedder, seconds=SHORT)
    embedder.hang_seconds = LONG
    assert await queries.embed("one", space) == LOADING
    embedder.release()
    await until_idle()
    assert queries.state == "ready"
    asked = embedder.requests
    assert (await queries.embed("one", space)).vector is not None
    assert embedder.requests == asked


async def test_a_late_failure_does_not_open_the_breaker_again(
    embedder: BrokenEmbedder, space: StoredSpace
) -> None:
    queries = QueryEmbedder(embedder, seconds=SHORT)
    embedder.hang_seconds, embedder.fail_on = LONG, "one"
    assert await queries.embed("one", space) == LOADING
    embedder.hang_seconds = 0.0
    assert (await queries.embed("two", space)).vector is not None
    embedder.release()
    await until_idle()
    assert queries.state == "ready"


async def test_while_the_breaker_is_open_one_query_tries_and_the_others_do_not_wait(
    embedder: FakeEmbedder, space: StoredSpace
) -> None:
    queries = QueryEmbedder(embedder, seconds=4 * SHORT)
    embedder.raising = True
    await queries.embed("one", space)
    embedder.recover()
    embedder.hang_seconds = LONG
    asked = embedder.requests
    trying = asyncio.create_task(queries.embed("two", space))
    await asyncio.sleep(SHORT)
    begun = time.monotonic()
    others = await asyncio.gather(*(queries.embed(f"other {number}", space) for number in range(20)))
    assert time.monotonic() - begun < SHORT
    assert set(others) == {UNAVAILABLE}
    assert embedder.requests == asked + 1
    assert await trying == LOADING


async def test_queries_at_once_all_get_their_vectors(embedder: FakeEmbedder, space: StoredSpace) -> None:
    queries = QueryEmbedder(embedder, seconds=LONG)
    embedder.slow_seconds = 0.005
    texts = [f"query {number}" for number in range(40)]
    found = await asyncio.gather(*(queries.embed(text, space) for text in texts))
    for text, answer in zip(texts, found, strict=True):
        assert np.array_equal(np.asarray(answer.vector), vector_of(embedder, text))


async def test_calls_that_hang_hold_few_threads_and_let_them_go(
    embedder: FakeEmbedder, space: StoredSpace
) -> None:
    queries = QueryEmbedder(embedder, seconds=SHORT)
    embedder.hang_seconds = LONG
    await asyncio.gather(*(queries.embed(f"query {number}", space) for number in range(3 * THREADS)))
    assert embedder.requests == THREADS
    begun = time.monotonic()
    assert await queries.embed("one more", space) == LOADING
    assert time.monotonic() - begun < SHORT
    embedder.release()
    await until_idle()
    assert (await queries.embed("one more", space)).vector is not None
    assert queries.state == "ready"


async def test_each_query_may_try_again_while_earlier_ones_hang(
    embedder: FakeEmbedder, space: StoredSpace
) -> None:
    queries = QueryEmbedder(embedder, seconds=SHORT)
    embedder.hang_seconds = LONG
    await queries.embed("one", space)
    await queries.embed("two", space)
    embedder.hang_seconds = 0.0
    assert (await queries.embed("three", space)).vector is not None


async def test_a_query_that_is_given_up_leaves_the_next_one_free_to_try(
    embedder: FakeEmbedder, space: StoredSpace
) -> None:
    queries = QueryEmbedder(embedder, seconds=LONG)
    embedder.raising = True
    await queries.embed("one", space)
    embedder.recover()
    embedder.hang_seconds = LONG
    trying = asyncio.create_task(queries.embed("two", space))
    await asyncio.sleep(SHORT)
    trying.cancel()
    with pytest.raises(asyncio.CancelledError):
        await trying
    embedder.hang_seconds = 0.0
    assert (await queries.embed("three", space)).vector is not None


async def test_a_try_that_gets_no_thread_leaves_the_next_one_free_to_try(
    embedder: FakeEmbedder, space: StoredSpace, monkeypatch: pytest.MonkeyPatch
) -> None:
    queries = QueryEmbedder(embedder, seconds=LONG)
    embedder.raising = True
    await queries.embed("one", space)
    embedder.recover()

    def refuse(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", refuse)
        with pytest.raises(RuntimeError):
            await queries.embed("two", space)
    assert (await queries.embed("three", space)).vector is not None


async def test_a_request_that_has_little_time_waits_no_longer_and_opens_no_breaker(
    embedder: FakeEmbedder, space: StoredSpace
) -> None:
    queries = QueryEmbedder(embedder, seconds=LONG)
    await queries.embed("one", space)
    embedder.slow_seconds = 4 * SHORT
    begun = time.monotonic()
    assert await queries.embed("two", space, seconds=SHORT) == TIMEOUT
    assert await queries.embed("three", space, seconds=0.0) == TIMEOUT
    assert time.monotonic() - begun < 3 * SHORT
    assert queries.state == "ready"


async def test_the_embedders_own_deadline_holds_where_a_request_has_more_time(
    embedder: FakeEmbedder, space: StoredSpace
) -> None:
    queries = QueryEmbedder(embedder, seconds=SHORT)
    embedder.hang_seconds = LONG
    assert await queries.embed("one", space, seconds=LONG) == LOADING
    assert queries.state == "embedder-loading"


async def test_warming_waits_for_the_model_however_long_it_takes(
    embedder: FakeEmbedder, space: StoredSpace
) -> None:
    queries = QueryEmbedder(embedder, seconds=SHORT)
    assert queries.state == "loading"
    embedder.slow_seconds = 2 * SHORT
    await queries.warm()
    assert queries.state == "ready"
    embedder.slow_seconds = 0.0
    await queries.embed("one", space)
    assert (embedder.count("query"), embedder.probed) == (1, 4)


async def test_warming_a_broken_embedder_is_logged(
    embedder: BrokenEmbedder, caplog: pytest.LogCaptureFixture
) -> None:
    queries = QueryEmbedder(embedder)
    embedder.broken = OSError("no space left")
    with caplog.at_level(logging.WARNING):
        await queries.warm()
    assert "no space left" in caplog.text
    assert queries.state == "embedder-unavailable"


def test_any_event_loop_may_ask(embedder: FakeEmbedder, space: StoredSpace) -> None:
    queries = QueryEmbedder(embedder, seconds=SHORT)
    embedder.hang_seconds = LONG
    for number in range(THREADS):
        assert asyncio.run(queries.embed(f"query {number}", space)) == LOADING
    # The loops of these queries are closed when their threads come back.
    embedder.release()
    asyncio.run(until_idle())
    assert queries.state == "ready"
    assert asyncio.run(queries.embed("query 0", space)).vector is not None
