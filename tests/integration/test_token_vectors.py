"""Tokens of passages in the index, and late interaction over them."""

from pathlib import Path

import pytest
from fakes import FakeEmbedder
from mortal import WIKI, Killed, MortalEmbedder
from workbench import Workbench

from indexer.embedding import BATCH
from indexer.purge import purge_index
from indexer.report import IndexReport
from retrieval.errors import RerankMissing
from retrieval.models import Models
from retrieval.pack import EvidencePack, RerankStep
from retrieval.query_embedder import QueryEmbedder
from retrieval.refinement.maxsim import MaxSimRefiner
from retrieval.request import Rerank
from retrieval.store import open_store

pytestmark = pytest.mark.anyio


@pytest.fixture
def bench(tmp_path: Path) -> Workbench:
    return Workbench(tmp_path, WIKI)


async def run(bench: Workbench, mode: str = "incremental") -> IndexReport:
    return await bench.run("full" if mode == "full" else "incremental", token_vectors=True)


def has_unpublished(bench: Workbench) -> bool:
    return any(Path(bench.uri).glob("unpublished_tokens*"))


async def count(bench: Workbench) -> tuple[int, int]:
    """Returns how many chunks have a vector, and how many have tokens."""
    store = await open_store(bench.uri)
    snapshot = await store.snapshot()
    counts = snapshot.generation.counts
    rows = await snapshot.count("token_vectors") if snapshot.has("token_vectors") else 0
    store.close()
    assert rows == counts.tokens
    return counts.embedded, counts.tokens


async def assert_whole(bench: Workbench) -> None:
    embedded, tokens = await count(bench)
    assert embedded == tokens > 0
    assert await bench.rows() == await bench.fresh_rows(token_vectors=True)
    assert not has_unpublished(bench)


async def search(
    bench: Workbench, query: str, *, rerank: Rerank | None = None, **request: object
) -> EvidencePack:
    models = Models(
        embedder=QueryEmbedder(bench.embedder, seconds=0.3),
        refiners={"maxsim": MaxSimRefiner(bench.embedder)},
        rerank="maxsim",
    )
    return await bench.search(query, models=models, rerank=rerank, **request)


async def test_every_text_goes_through_the_model_once(bench: Workbench) -> None:
    report = await run(bench)
    texts = [text for role, text in bench.embedder.embedded if role == "chunk"]
    assert len(texts) == len(set(texts)) == report.chunks.embedded
    await assert_whole(bench)


async def test_without_the_option_there_are_none(bench: Workbench) -> None:
    await bench.run()
    assert (await count(bench))[1] == 0
    assert "token_vectors" not in await bench.rows()


async def test_switched_on_later_they_are_made_of_what_is_there(bench: Workbench) -> None:
    total = (await bench.run()).chunks.embedded
    report = await run(bench)
    assert (report.status, report.chunks.embedded) == ("ok", 0)
    assert bench.embedder.count("chunk") == total
    await assert_whole(bench)
    await run(bench)
    assert bench.embedder.requests == 0


async def test_switched_off_they_go_and_the_vectors_stay(bench: Workbench) -> None:
    await run(bench)
    await bench.run()
    assert bench.embedder.requests == 0
    embedded, tokens = await count(bench)
    assert (embedded > 0, tokens) == (True, 0)
    assert await bench.rows() == await bench.fresh_rows()


async def test_edits_embed_what_is_new_and_moves_nothing(bench: Workbench) -> None:
    await run(bench)
    bench.move("page1.md", "moved/page1.md")
    bench.write("copy.md", WIKI["page2.md"])
    bench.delete("page3.md")
    await run(bench)
    assert bench.embedder.count("chunk") == 0
    bench.write("page4.md", WIKI["page4.md"].replace("Section 5", "Changed section 5"))
    await run(bench)
    assert bench.embedder.count("chunk") == 1
    await assert_whole(bench)


async def test_a_moved_folder_embeds_nothing_though_the_run_commits_on_its_way(bench: Workbench) -> None:
    for number in range(60):
        bench.write(f"more/{number}.md", WIKI["page1.md"].replace("page 1", f"other {number}"))
    await run(bench)
    bench.move("more", "elsewhere")
    report = await run(bench)
    assert report.pages.moved == 60
    assert bench.embedder.requests == 0
    await assert_whole(bench)


async def test_a_rebuild_embeds_nothing(bench: Workbench) -> None:
    await run(bench)
    await run(bench, "full")
    assert bench.embedder.embedded == []
    await assert_whole(bench)


async def test_another_space_makes_them_anew(bench: Workbench) -> None:
    await run(bench)
    bench.embedder = FakeEmbedder(model="other", window=64)
    await run(bench)
    embedded, tokens = await count(bench)
    assert embedded == tokens > 0
    assert (await search(bench, "section 5 of page 7")).retrieval.rerank == RerankStep(
        stage="maxsim", outcome="used", reason=None
    )


@pytest.mark.parametrize("lives", [BATCH + 30, 3 * BATCH, 1])
@pytest.mark.parametrize("later", [False, True])
async def test_a_run_that_is_killed_embeds_at_most_one_batch_again(
    bench: Workbench, lives: int, later: bool
) -> None:
    if later:
        await bench.run()
    mortal = MortalEmbedder(window=64)
    mortal.lives = lives
    bench.embedder = mortal
    with pytest.raises(Killed):
        await bench.indexer(token_vectors=True).run()
    done = set(mortal.embedded)
    mortal.lives = 10**9
    await run(bench)
    assert len(done & set(mortal.embedded)) <= BATCH
    await assert_whole(bench)


async def test_an_embedder_that_gives_up_leaves_the_vectors_and_the_next_run_goes_on(
    bench: Workbench,
) -> None:
    total = (await bench.run()).chunks.embedded
    bench.embedder.fail_after = 2 * BATCH
    report = await run(bench)
    assert (report.status, [issue.code for issue in report.issues]) == ("partial", ["embedder-failed"])
    embedded, tokens = await count(bench)
    assert embedded == total > tokens > 0
    assert has_unpublished(bench)
    bench.embedder.recover()
    assert (await run(bench)).status == "ok"
    assert bench.embedder.count("chunk") <= total - tokens
    await assert_whole(bench)


async def test_a_purge_leaves_nothing_of_what_was_deleted(bench: Workbench) -> None:
    await run(bench)
    bench.delete("page1.md")
    await run(bench)
    before = sum(file.stat().st_size for file in Path(bench.uri).glob("token_vectors*/data/*"))
    await purge_index(bench.uri)
    assert sum(file.stat().st_size for file in Path(bench.uri).glob("token_vectors*/data/*")) < before
    await assert_whole(bench)


async def test_a_query_is_answered_by_late_interaction(bench: Workbench) -> None:
    bench.write(
        "both.md", "# Both\n\nfiller words go here with kestrel and so on, then osprey at the very end\n"
    )
    bench.write("one.md", "# One\n\nkestrel kestrel kestrel\n")
    await run(bench)
    plain = await search(bench, "kestrel osprey", rerank="none")
    refined = await search(bench, "kestrel osprey")
    assert plain.retrieval.rerank is None
    assert refined.retrieval.rerank == RerankStep(stage="maxsim", outcome="used", reason=None)
    assert "refine" in refined.retrieval.timings_ms
    assert "refine" not in plain.retrieval.timings_ms
    shares = [
        {hit.citation.path: hit.scores.rerank or 0.0 for hit in pack.evidence} for pack in (plain, refined)
    ]
    lead = [found["both.md"] / found["one.md"] for found in shares]
    assert lead[1] > lead[0]
    assert plain.pack_id != refined.pack_id


async def test_equal_requests_give_equal_packs(bench: Workbench) -> None:
    await run(bench)
    packs = [await search(bench, "section 5 of page 7") for _ in range(2)]
    assert packs[0].pack_id == packs[1].pack_id


@pytest.mark.parametrize(
    ("request_", "reason"), [({}, "token-vectors-missing"), ({"mode": "lexical"}, "no-query-vector")]
)
async def test_without_tokens_or_a_query_vector_the_ranking_stands(
    bench: Workbench, request_: dict[str, str], reason: str
) -> None:
    await bench.run()
    plain = await search(bench, "section 5 of page 7", rerank="none", **request_)
    pack = await search(bench, "section 5 of page 7", **request_)
    assert pack.evidence == plain.evidence
    assert pack.retrieval.rerank == RerankStep(stage="maxsim", outcome="unavailable", reason=reason)
    assert pack.warnings == plain.warnings


async def test_passages_without_tokens_keep_their_score(bench: Workbench) -> None:
    total = (await bench.run()).chunks.embedded
    bench.embedder.fail_after = total // 2
    await run(bench)
    bench.embedder.recover()
    plain = await search(bench, "section of page", k=50, rerank="none")
    pack = await search(bench, "section of page", k=50)
    assert pack.retrieval.rerank == RerankStep(
        stage="maxsim", outcome="partial", reason="token-vectors-partial"
    )
    assert {hit.chunk_ids for hit in pack.evidence} == {hit.chunk_ids for hit in plain.evidence}


async def test_a_stage_that_is_not_set_up_is_an_error(bench: Workbench) -> None:
    await run(bench)
    with pytest.raises(RerankMissing, match="rerank: cross-encoder is not set up here; set `cross_encoder`"):
        await search(bench, "section", rerank="cross-encoder")
