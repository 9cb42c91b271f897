"""Vectors of two spaces are never mixed, and those of the old one answer until the new ones are whole."""

import asyncio
import threading
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from fakes import REMOTE, FakeEmbedder
from mortal import PARTS, WIKI, Killed, MortalEmbedder
from workbench import Workbench

from indexer.embedding import BATCH
from retrieval.embedding.port import EmbedderError, EmbeddingRole, Vectors
from retrieval.embedding.space import PROBES
from retrieval.store import Generation, open_store

pytestmark = pytest.mark.anyio

WINDOW = 64
SECONDS = 20.0


class WaitingEmbedder(FakeEmbedder):
    """Stops at the first chunk, with the page vectors made, until it is let go on."""

    def __init__(self, *, model: str, window: int) -> None:
        super().__init__(model=model, window=window)
        self.arrived, self.go_on = threading.Event(), threading.Event()

    def embed(self, texts: Sequence[str], role: EmbeddingRole) -> Vectors:
        if role == "chunk" and PROBES["chunk"] not in texts:
            self.arrived.set()
            self.go_on.wait(SECONDS)
        return super().embed(texts, role)


def make_bench(folder: Path, **embedder: str) -> Workbench:
    bench = Workbench(folder, WIKI, window=WINDOW)
    bench.embedder = FakeEmbedder(window=WINDOW, **embedder)
    return bench


def use_embedder(bench: Workbench, **embedder: str) -> FakeEmbedder:
    """Gives the bench another embedder and returns the one before."""
    before, bench.embedder = bench.embedder, FakeEmbedder(window=WINDOW, **embedder)
    return before


async def newest(bench: Workbench) -> Generation:
    store = await open_store(bench.uri)
    try:
        return (await store.generations())[0]
    finally:
        store.close()


async def vectors(bench: Workbench) -> dict[str, list[float]]:
    """Returns the vectors of all chunks by chunk."""
    store = await open_store(bench.uri)
    try:
        rows = await (await store.snapshot()).rows("chunk_vectors", columns=["chunk_id", "vector"])
        return {row["chunk_id"]: row["vector"] for row in rows.to_pylist()}
    finally:
        store.close()


async def assert_one_space(bench: Workbench, folder: Path) -> None:
    """Compares all vectors with those that the bench's embedder alone makes."""
    fresh = make_bench(folder / "fresh")
    fresh.root, fresh.embedder = bench.root, bench.embedder
    await fresh.run()
    found, expected = await vectors(bench), await vectors(fresh)
    assert found.keys() == expected.keys()
    assert all(np.allclose(found[chunk], expected[chunk]) for chunk in expected)


async def test_a_generation_says_what_its_vectors_are_of(tmp_path: Path) -> None:
    bench = make_bench(tmp_path)
    await bench.run()
    space = (await newest(bench)).space
    assert space is not None
    assert space.declared == bench.embedder.space
    assert bench.embedder.probed == 3


async def test_a_run_that_embeds_nothing_asks_the_model_nothing(tmp_path: Path) -> None:
    bench = make_bench(tmp_path)
    await bench.run()
    await bench.run()
    assert bench.embedder.requests == 0
    bench.move("page1.md", "moved.md")
    bench.delete("page2.md")
    assert (await bench.run()).pages.moved == 1
    assert bench.embedder.requests == 0


async def test_an_index_of_no_pages_needs_no_model(tmp_path: Path) -> None:
    bench = Workbench(tmp_path, {"a.txt": "no page"}, window=WINDOW)
    first = await bench.run()
    use_embedder(bench, model="other")
    await bench.run()
    last = await bench.run()
    assert bench.embedder.requests == 0
    assert last.generation <= first.generation + 1
    bench.write("page.md", "# Page\n")
    assert (await bench.run()).chunks.embedded == 1


async def test_a_model_that_moved_keeps_its_vectors(tmp_path: Path) -> None:
    bench = make_bench(tmp_path)
    await bench.run()
    before, rows = (await newest(bench)).space, await bench.rows()
    use_embedder(bench, model="moved", weights="fake")
    await bench.run()
    after = await newest(bench)
    assert (bench.embedder.embedded, bench.embedder.probed) == ([], 3)
    assert before is not None
    assert after.space is not None
    assert (after.space.id, after.build.model) == (before.id, "moved")
    assert await bench.rows() == rows
    await bench.run()
    assert bench.embedder.requests == 0


@pytest.mark.parametrize("backend", ["onnx", REMOTE])
async def test_another_backend_that_agrees_keeps_the_vectors_and_is_recorded(
    tmp_path: Path, backend: str
) -> None:
    bench = make_bench(tmp_path)
    await bench.run()
    use_embedder(bench, backend=backend)
    bench.write("new.md", "# New\n\nOnly this is embedded.\n")
    report = await bench.run()
    assert report.chunks.embedded == len(bench.embedder.embedded) == 1
    space = (await newest(bench)).space
    assert space is not None
    assert space.declared.backend == backend
    await assert_one_space(bench, tmp_path)


async def test_another_model_behind_the_same_name_makes_all_vectors_anew(tmp_path: Path) -> None:
    bench = make_bench(tmp_path, backend=REMOTE, weights="old")
    total = (await bench.run()).chunks.total
    use_embedder(bench, backend=REMOTE, weights="new")
    await bench.run()
    assert bench.embedder.requests == 0
    bench.write("new.md", "# New\n\nThis shows that the model is another.\n")
    report = await bench.run()
    assert (report.chunks.embedded, report.chunks.reused) == (total + 1, 0)
    await assert_one_space(bench, tmp_path)
    assert (await bench.search("this shows")).retrieval.level == "chunk"


async def test_a_full_run_asks_whether_the_model_is_the_same(tmp_path: Path) -> None:
    bench = make_bench(tmp_path, backend=REMOTE, weights="old")
    total = (await bench.run()).chunks.total
    use_embedder(bench, backend=REMOTE, weights="new")
    assert (await bench.run("full")).chunks.embedded == total
    await assert_one_space(bench, tmp_path)


async def test_going_back_to_a_model_reuses_its_vectors(tmp_path: Path) -> None:
    bench = make_bench(tmp_path, backend=REMOTE, weights="old")
    total = (await bench.run()).chunks.total
    old = use_embedder(bench, backend=REMOTE, weights="new")
    await bench.run("full")
    bench.embedder = old
    assert (await bench.run("full")).chunks.reused == total
    assert old.embedded == []
    await assert_one_space(bench, tmp_path)


async def test_another_dimension_makes_all_vectors_anew(tmp_path: Path) -> None:
    bench = make_bench(tmp_path)
    total = (await bench.run()).chunks.total
    bench.embedder = FakeEmbedder(window=WINDOW, dimension=32)
    assert (await bench.run()).chunks.embedded == total
    await assert_one_space(bench, tmp_path)


@pytest.mark.parametrize("full", [False, True])
async def test_the_old_vectors_answer_until_the_last_of_the_new_ones_is_there(
    tmp_path: Path, full: bool
) -> None:
    bench = make_bench(tmp_path)
    total = (await bench.run()).chunks.total
    old = bench.embedder
    bench.write("new.md", "# New\n\nzorbnew\n")
    waiting = WaitingEmbedder(model="other", window=WINDOW)
    bench.embedder = waiting
    run = asyncio.create_task(bench.run("full" if full else "incremental", commit_every=0.0))
    assert await asyncio.to_thread(waiting.arrived.wait, SECONDS)
    asking = Workbench(tmp_path, window=WINDOW)
    asking.embedder = old
    during = await asking.search("section of page")
    assert during.retrieval.steps[0].level == "chunk"
    assert during.retrieval.level == "chunk"
    assert (await newest(asking)).counts.embedded == total
    assert await asking.found("zorbnew") == (set() if full else {"new.md"})
    asking.embedder = FakeEmbedder(model="other", window=WINDOW)
    assert [warning.reason for warning in (await asking.search("section")).warnings] == ["space-mismatch"]
    waiting.go_on.set()
    assert (await run).status == "ok"
    after = await asking.search("section of page")
    assert (after.retrieval.level, after.retrieval.coverage, after.warnings) == ("chunk", 1.0, ())
    await assert_one_space(bench, tmp_path)


async def test_an_embedder_that_gives_up_during_a_switch_leaves_the_old_vectors(tmp_path: Path) -> None:
    bench = make_bench(tmp_path)
    total = (await bench.run()).chunks.total
    old = use_embedder(bench, model="other")
    bench.embedder.fail_after = total // 2
    bench.write("new.md", "# New\n\nzorbnew\n")
    report = await bench.run()
    made = len(bench.embedder.embedded)
    assert report.status == "partial"
    assert [(issue.path, issue.code) for issue in report.issues] == [(".", "embedder-failed")]
    generation = await newest(bench)
    assert (generation.build.model, generation.counts.embedded) == ("fake", total)
    other, bench.embedder = bench.embedder, old
    assert (await bench.search("section of page")).retrieval.level == "chunk"
    assert await bench.found("zorbnew") == {"new.md"}
    bench.embedder = other
    other.recover()
    report = await bench.run()
    assert (report.status, report.issues) == ("ok", ())
    assert report.chunks.reused >= made - len(WIKI) - 1 > 0
    await assert_one_space(bench, tmp_path)


async def test_an_embedder_that_is_down_from_the_start_leaves_the_old_vectors(tmp_path: Path) -> None:
    bench = make_bench(tmp_path)
    total = (await bench.run()).chunks.total
    use_embedder(bench, model="other")
    bench.embedder.raising = True
    assert [issue.code for issue in (await bench.run()).issues] == ["embedder-failed"]
    generation = await newest(bench)
    assert (generation.build.model, generation.counts.embedded) == ("fake", total)
    bench.embedder.recover()
    assert (await bench.run()).chunks.embedded == total


@pytest.mark.parametrize("first", [True, False])
async def test_a_run_that_was_killed_while_it_founded_a_space_goes_on(tmp_path: Path, first: bool) -> None:
    bench = make_bench(tmp_path, backend=REMOTE, weights="old")
    if not first:
        await bench.run()
        bench.write("new.md", "# New\n\nThis shows that the model is another.\n")
    mortal = MortalEmbedder(backend=REMOTE, weights="new", window=WINDOW)
    mortal.lives = 2 * BATCH + 1
    bench.embedder = mortal
    with pytest.raises(Killed):
        await bench.run()
    done = set(mortal.embedded)
    assert len(done) > 2 * BATCH
    mortal.lives = 10**9
    assert (await bench.run()).status == "ok"
    assert len(done & set(mortal.embedded)) <= BATCH
    await assert_one_space(bench, tmp_path)


async def test_texts_that_fail_block_no_others(tmp_path: Path) -> None:
    bench = make_bench(tmp_path)
    for number in range(5):
        bench.write(f"bad{number}.md", "# zorbbad\n" + number * "\n")
    bench.embedder.fail_on = "zorbbad"
    await bench.run()
    bench.write("good.md", "# Good\n\nThis text is longer than those that fail.\n")
    report = await bench.run()
    assert {issue.code for issue in report.issues} == {"embedding-failed"}
    assert {text for _, text in bench.embedder.embedded} >= {
        "Good\nThis text is longer than those that fail."
    }
    assert report.chunks.pending == 0


async def test_an_embedder_that_fails_altogether_blames_no_text(tmp_path: Path) -> None:
    bench = make_bench(tmp_path)
    await bench.run()
    bench.write("new.md", "# New\n\nOne text.\n")
    bench.move("page1.md", "moved.md")
    bench.embedder.raising = True
    report = await bench.run()
    assert [(issue.path, issue.code) for issue in report.issues] == [(".", "embedder-failed")]
    assert (report.chunks.pending, report.chunks.reused) == (1, PARTS + 1)


async def test_an_endpoint_that_changes_on_and_on_is_a_failure(tmp_path: Path) -> None:
    class Fickle(FakeEmbedder):
        def embed(self, texts: Sequence[str], role: EmbeddingRole) -> Vectors:
            if PROBES[role] in texts:
                self.weights += "+"
            elif role == "chunk":
                raise EmbedderError("not now")
            return super().embed(texts, role)

    bench = make_bench(tmp_path)
    bench.embedder = Fickle(backend=REMOTE, window=WINDOW)
    report = await bench.run()
    assert report.status == "partial"
    assert [(issue.path, issue.code) for issue in report.issues] == [(".", "embedder-failed")]
