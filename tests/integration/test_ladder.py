"""The ladder of the dense lane: each step forced by a fault over a real index, and shown as a pack."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from chat_server import PROVIDER_TEXT, ChatServer, Reply, Request, Script, completion, fail, say
from fakes import REMOTE, FakeChooser, FakeEmbedder
from workbench import Workbench

from retrieval.filters import Comparison
from retrieval.llm.openai_chooser import ChatEndpoint, OpenAIChooser
from retrieval.models import Models
from retrieval.pack import EvidencePack, to_dict
from retrieval.query_embedder import QueryEmbedder
from retrieval.request import Expand
from retrieval.warnings import Reason

pytestmark = pytest.mark.anyio

# Nothing here takes so long, unless a model that hangs is waited for.
PATIENCE = 20.0
HANGING = 120.0

SYNONYMS = {"automobile": "car", "vessel": "boat", "canine": "dog"}
# "zorbword" stands on one page only. Nothing but a vector leads from a synonym to its page, whose texts are
# longer than those of the fillers: of the chunks of a round the short ones get their vectors first.
LONG = {
    f"{path}.md": f"---\ntags: [{tag}]\n---\n# {word}\n\n{f'{word} ' * 20}\n\n## {word}\n\n{text}\n"
    for path, tag, word, text in (
        ("garage/car", "land", "car", "car " * 20),
        ("garage/wheel", "land", "wheel", "zorbword " + "wheel " * 20),
        ("harbour/boat", "sea", "boat", "boat " * 20),
        ("harbour/rope", "sea", "rope", "rope " * 20),
    )
}
BATCH = 64
"""Chunk vectors that are made before the model dies."""


def write_fillers(count: int) -> dict[str, str]:
    """Returns pages of two short chunks each."""
    return {f"filler/{n}.md": f"# f{n}\n\nf{n}\n\n## g{n}\n\ng{n}\n" for n in range(count)}


class Desk:
    """An index, and the models that answer over it, which last from one query to the next."""

    def __init__(self, bench: Workbench, *, seconds: float = 0.3) -> None:
        self.bench = bench
        self.models = Models()
        self.employ(bench.embedder, seconds=seconds)

    def employ(self, embedder: FakeEmbedder, *, seconds: float = 0.3) -> None:
        """Lets this embedder give queries their vectors from now on."""
        self.embedder = self.bench.embedder = embedder
        self.give(embedder=QueryEmbedder(embedder, seconds=seconds))

    def give(self, **models: Any) -> None:
        self.models = replace(self.models, **models)

    async def ask(self, query: str, **request: Any) -> EvidencePack:
        async with asyncio.timeout(PATIENCE):
            return await self.bench.search(query, models=self.models, **{"expand": Expand(hops=0), **request})


def embedding(**options: Any) -> FakeEmbedder:
    return FakeEmbedder(window=64, synonyms=SYNONYMS, **options)


async def index(folder: Path, *, fillers: int = 2, chunks: int | None = None) -> Desk:
    """Indexes LONG and fillers with a model that dies after all page vectors and so many chunk vectors."""
    files = {**LONG, **write_fillers(fillers)}
    bench = Workbench(folder, files)
    bench.embedder = embedding()
    if chunks is not None:
        bench.embedder.fail_after = len(files) + chunks
    report = await bench.run()
    bench.embedder.recover()
    assert report.chunks.embedded == (2 * len(files) if chunks is None else chunks)
    assert report.chunks.pending == 2 * len(files) - report.chunks.embedded
    return Desk(bench)


@pytest.fixture
async def desk(tmp_path: Path) -> Desk:
    """A whole index."""
    return await index(tmp_path)


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with ChatServer() as server:
        yield server


@pytest.fixture
def chooser(server: ChatServer) -> OpenAIChooser:
    return OpenAIChooser(ChatEndpoint(base_url=server.base_url, model="m", seconds=PATIENCE))


@pytest.fixture
async def vectorless(desk: Desk, chooser: OpenAIChooser) -> Desk:
    """A desk whose embedder is down, so that the language model is asked."""
    desk.embedder.raising = True
    desk.give(chooser=chooser)
    return desk


def paths(pack: EvidencePack) -> list[str]:
    """Returns the cited pages by rank, each once."""
    return list(dict.fromkeys(passage.citation.path for passage in pack.evidence))


def told(pack: EvidencePack) -> list[tuple[str, str | None, str | None]]:
    """Returns code, level and reason of each warning."""
    return [(warning.code, warning.level, warning.reason) for warning in pack.warnings]


def steps(pack: EvidencePack) -> list[tuple[str, str, str | None]]:
    return [(step.level, step.outcome, step.reason) for step in pack.retrieval.steps]


def without_vectors(reason: Reason, *rest: tuple[str, str]) -> list[tuple[str, str, str | None]]:
    """Returns the steps of a query that has no vector."""
    above = [(level, "unavailable", reason) for level in ("chunk", "page")]
    return [*above, *((level, outcome, None) for level, outcome in rest)]


def assert_whole(pack: EvidencePack) -> None:
    """The answer has the full signal of chunk vectors, and nothing to warn of."""
    assert (pack.retrieval.level, pack.retrieval.coverage) == ("chunk", 1.0)
    assert pack.retrieval.lanes == ("dense", "lexical")
    assert steps(pack) == [("chunk", "used", None)]
    assert told(pack) == []
    assert pack.answerable


def assert_words_alone(pack: EvidencePack, reason: Reason) -> None:
    """The answer is what the words give, and says why there is no more."""
    assert pack.retrieval.level == "lexical"
    assert pack.retrieval.lanes == ("lexical",)
    assert steps(pack) == without_vectors(reason, ("lexical", "used"))
    assert told(pack) == [("embedding-degraded", "lexical", reason)]
    assert pack.answerable
    assert paths(pack) == ["garage/wheel.md"]


# Levels of vectors


async def test_a_whole_index_answers_at_the_level_chunk_without_a_warning(desk: Desk) -> None:
    for query, path in (("automobile", "garage/car.md"), ("zorbword", "garage/wheel.md")):
        pack = await desk.ask(query)
        assert_whole(pack)
        assert paths(pack)[0] == path


async def test_with_most_chunk_vectors_the_rest_enters_by_page_vectors(tmp_path: Path) -> None:
    desk = await index(tmp_path, fillers=46, chunks=BATCH)
    pack = await desk.ask("automobile")
    assert (pack.retrieval.level, pack.retrieval.coverage) == ("chunk", 0.64)
    assert steps(pack) == [("chunk", "partial", "chunk-vectors-partial")]
    assert told(pack) == [("embedding-degraded", "chunk", "chunk-vectors-partial")]
    assert paths(pack)[0] == "garage/car.md"
    assert paths(await desk.ask("f17"))[0] == "filler/17.md"
    await desk.bench.run()
    assert_whole(await desk.ask("automobile"))


async def test_with_few_chunk_vectors_the_level_is_page(tmp_path: Path) -> None:
    desk = await index(tmp_path, fillers=71, chunks=BATCH)
    pack = await desk.ask("automobile")
    assert (pack.retrieval.level, pack.retrieval.coverage) == ("page", 0.4267)
    assert steps(pack) == [("chunk", "partial", "chunk-vectors-partial"), ("page", "used", None)]
    assert told(pack) == [("embedding-degraded", "page", "chunk-vectors-partial")]
    assert paths(pack)[0] == "garage/car.md"
    assert paths(await desk.ask("zorbword"))[0] == "garage/wheel.md"


async def test_with_page_vectors_only_the_level_is_page(tmp_path: Path) -> None:
    desk = await index(tmp_path, chunks=0)
    pack = await desk.ask("automobile")
    assert (pack.retrieval.level, pack.retrieval.coverage) == ("page", 0.0)
    assert steps(pack) == [("chunk", "unavailable", "chunk-vectors-missing"), ("page", "used", None)]
    assert told(pack) == [("embedding-degraded", "page", "chunk-vectors-missing")]
    assert paths(pack)[0] == "garage/car.md"
    await desk.bench.run()
    assert_whole(await desk.ask("automobile"))


async def test_without_any_vectors_words_answer(tmp_path: Path) -> None:
    bench = Workbench(tmp_path, LONG)
    bench.embedder = embedding()
    bench.embedder.raising = True
    assert (await bench.run()).status == "partial"
    bench.embedder.recover()
    desk = Desk(bench)
    assert_words_alone(await desk.ask("zorbword"), "chunk-vectors-missing")
    await bench.run()
    assert_whole(await desk.ask("zorbword"))


async def test_coverage_is_that_of_the_scope(tmp_path: Path) -> None:
    desk = await index(tmp_path, fillers=46, chunks=BATCH)
    assert (await desk.ask("automobile", path_prefix="garage")).retrieval.coverage == 0.0
    filler = await desk.ask("f17", path_prefix="filler")
    assert filler.retrieval.coverage == round(BATCH / 92, 4)
    nothing = await desk.ask("zorbword", path_prefix="nowhere")
    assert (nothing.retrieval.level, nothing.retrieval.coverage) == ("chunk", 1.0)
    assert told(nothing) == [("no-relevant-evidence", "chunk", None)]


async def test_chunks_that_cannot_be_embedded_count_on_neither_side(tmp_path: Path) -> None:
    files = {**LONG, **write_fillers(46), "z/z.md": "# z\n\nzz\n\n## q\n\nq\n"}
    bench = Workbench(tmp_path, files)
    bench.embedder = embedding()
    bench.embedder.fail_on = "zz"
    bench.embedder.fail_after = len(files) - 1 + BATCH - 1  # without the page and the chunk that say "zz"
    report = await bench.run()
    assert (report.chunks.embedded, report.chunks.pending) == (BATCH - 1, 2 * len(files) - BATCH)
    bench.embedder.recover()
    desk = Desk(bench)
    for scope, coverage in (("", (BATCH - 1) / (2 * len(files) - 1)), ("z", 1.0), ("garage", 0.0)):
        assert (await desk.ask("zz", path_prefix=scope)).retrieval.coverage == round(coverage, 4)


async def test_a_long_page_does_not_fill_the_answer_at_the_level_page(tmp_path: Path) -> None:
    """Nor where its chunks come by its page vector beside others that have vectors of their own."""
    sections = "".join(f"## car\n\n{number} {'engine ' * 20}\n\n" for number in range(50))
    for name, fillers in (("page", 0), ("partial", 30)):
        files = {
            "long.md": f"# car\n\n{sections}",
            **{f"near{n}.md": f"# car {n}\n\ncar car\n\n## car\n\ncar {n}\n" for n in range(4)},
            **write_fillers(fillers),
        }
        bench = Workbench(tmp_path / name, files)
        bench.embedder = embedding()
        bench.embedder.fail_after = len(files) + (BATCH if fillers else 0)
        await bench.run()
        bench.embedder.recover()
        pack = await Desk(bench).ask("automobile", k=20, nearest=True)
        assert pack.retrieval.level == ("chunk" if fillers else "page")
        assert {"long.md", *(f"near{n}.md" for n in range(4))} <= set(paths(pack))
        long = [passage for passage in pack.evidence if passage.citation.path == "long.md"]
        assert sum(len(passage.chunk_ids) for passage in long) <= 3


# Embedders that fail


@pytest.mark.parametrize("fault", ["raising", "wrong_dimension", "nan_on", "zero_on"])
async def test_an_embedder_that_fails(desk: Desk, fault: str) -> None:
    setattr(desk.embedder, fault, True if fault in ("raising", "wrong_dimension") else "zorbword")
    for _ in range(2):
        assert_words_alone(await desk.ask("zorbword"), "embedder-unavailable")
    desk.embedder.recover()
    assert_whole(await desk.ask("zorbword"))


async def test_an_embedder_that_hangs(desk: Desk) -> None:
    assert_whole(await desk.ask("automobile"))
    desk.embedder.hang_seconds = HANGING
    assert_words_alone(await desk.ask("zorbword"), "embedder-timeout")
    assert_whole(await desk.ask("automobile"))  # its vector is known
    desk.embedder.recover()
    desk.embedder.release()
    assert_whole(await desk.ask("zorbword"))


async def test_many_queries_at_once_do_not_wait_one_for_another(desk: Desk) -> None:
    assert_whole(await desk.ask("automobile"))
    desk.embedder.hang_seconds = HANGING
    packs = await asyncio.gather(*(desk.ask(f"zorbword quux{number}") for number in range(20)))
    desk.embedder.release()
    for pack in packs:
        assert_words_alone(pack, "embedder-timeout")


async def test_an_embedder_that_is_still_loading(desk: Desk) -> None:
    desk.embedder.hang_seconds = HANGING
    assert_words_alone(await desk.ask("zorbword"), "embedder-loading")
    desk.embedder.release()
    assert_whole(await desk.ask("zorbword"))


async def test_no_embedder(desk: Desk) -> None:
    desk.give(embedder=None)
    pack = await desk.ask("zorbword")
    assert_words_alone(pack, "disabled")
    assert [warning.retryable for warning in pack.warnings] == [False]


async def test_another_model_of_the_same_dimension(desk: Desk) -> None:
    desk.employ(embedding(model="other"))
    assert_words_alone(await desk.ask("zorbword"), "space-mismatch")
    await desk.bench.run()
    assert_whole(await desk.ask("zorbword"))


async def test_another_model_behind_the_same_name(tmp_path: Path) -> None:
    bench = Workbench(tmp_path, LONG)
    bench.embedder = embedding(backend=REMOTE)
    await bench.run()
    desk = Desk(bench)
    assert_whole(await desk.ask("automobile"))
    desk.embedder.weights = "others"
    assert_words_alone(await desk.ask("zorbword"), "space-mismatch")
    await bench.run("full")
    assert_whole(await desk.ask("zorbword"))


async def test_a_request_bounds_the_wait_for_an_embedder(desk: Desk) -> None:
    desk.employ(desk.embedder, seconds=HANGING)
    desk.embedder.hang_seconds = HANGING
    assert_words_alone(await desk.ask("zorbword", timeout_ms=200), "embedder-loading")
    desk.embedder.release()


# The language model's choice


def choose(*chosen: str, also: tuple[str, ...] = ()) -> Script:
    """The model names pages by their path, twice, amid ids of no page, and talks."""

    def answer(request: Request) -> Reply:
        ids = {entry["path"]: entry["id"] for entry in request.question["catalogue"]}
        named = [ids[path] for path in chosen if path in ids]
        pages = ["p99", "harbour/boat.md", *also, *named, *named, "p0"]
        content = f"{PROVIDER_TEXT}! Here you are: {json.dumps({'pages': pages})} - ask for {{more}}."
        return Reply(body=completion({"content": content}))

    return answer


async def test_a_language_model_chooses_pages_where_there_are_no_vectors(
    vectorless: Desk, server: ChatServer
) -> None:
    server.script = choose("harbour/boat.md", "garage/car.md")
    pack = await vectorless.ask("canine")
    assert pack.retrieval.level == "llm"
    assert pack.retrieval.lanes == ("dense", "lexical")
    assert steps(pack) == without_vectors("embedder-unavailable", ("llm", "used"))
    assert told(pack) == [
        ("embedding-degraded", "llm", "embedder-unavailable"),
        ("llm-fallback-used", "llm", None),
    ]
    assert paths(pack) == ["harbour/boat.md", "garage/car.md"]
    assert pack.answerable
    assert PROVIDER_TEXT not in json.dumps(to_dict(pack))
    vectorless.embedder.recover()
    assert_whole(await vectorless.ask("automobile"))
    assert len(server.requests) == 1


async def test_what_words_find_stays_beside_a_choice(vectorless: Desk, server: ChatServer) -> None:
    server.script = choose("harbour/rope.md")
    pack = await vectorless.ask("zorbword")
    assert sorted(paths(pack)) == ["garage/wheel.md", "harbour/rope.md"]


async def test_only_pages_in_scope_are_shown_to_a_language_model_and_taken_from_it(
    vectorless: Desk, server: ChatServer
) -> None:
    boat = (await vectorless.ask("boat", mode="lexical")).evidence[0]
    server.script = choose("harbour/boat.md", "garage/car.md", also=(boat.chunk_ids[0],))
    pack = await vectorless.ask("boat", path_prefix="garage")
    (request,) = server.requests
    assert {entry["path"] for entry in request.question["catalogue"]} == {"garage/car.md", "garage/wheel.md"}
    assert paths(pack) == ["garage/car.md"]
    assert pack.retrieval.level == "llm"


@pytest.mark.parametrize("at_most", [1, 3])
async def test_no_more_pages_are_chosen_than_asked(
    vectorless: Desk, server: ChatServer, at_most: int
) -> None:
    server.script = choose("harbour/boat.md", "garage/car.md", "harbour/rope.md", "garage/wheel.md")
    pack = await vectorless.ask("canine", k=at_most)
    assert server.requests[0].question["at_most"] == at_most
    assert len(pack.evidence) == at_most
    assert paths(pack)[0] == "harbour/boat.md"


@pytest.mark.parametrize(
    "script", [fail(500), say("I cannot say."), choose()], ids=["down", "prose", "unknown"]
)
async def test_a_language_model_of_no_use(vectorless: Desk, server: ChatServer, script: Script) -> None:
    server.script = script
    pack = await vectorless.ask("zorbword")
    assert pack.retrieval.level == "lexical"
    assert steps(pack) == without_vectors("embedder-unavailable", ("llm", "unavailable"), ("lexical", "used"))
    assert told(pack) == [
        ("embedding-degraded", "lexical", "embedder-unavailable"),
        ("llm-unavailable", "lexical", None),
    ]
    assert paths(pack) == ["garage/wheel.md"]
    assert PROVIDER_TEXT not in json.dumps(to_dict(pack))
    server.script = choose("harbour/boat.md")
    assert (await vectorless.ask("canine")).retrieval.level == "llm"


async def test_no_server(desk: Desk) -> None:
    with ChatServer() as gone:
        url = gone.base_url
    desk.give(chooser=OpenAIChooser(ChatEndpoint(base_url=url, model="m")), embedder=None)
    pack = await desk.ask("zorbword")
    assert told(pack) == [("embedding-degraded", "lexical", "disabled"), ("llm-unavailable", "lexical", None)]
    assert paths(pack) == ["garage/wheel.md"]


@pytest.mark.parametrize("bound", ["setting", "request"])
async def test_a_language_model_that_hangs(vectorless: Desk, server: ChatServer, bound: str) -> None:
    await vectorless.ask("boat")  # what takes time once is loaded
    server.script = lambda _: Reply(body=b"", wait=HANGING)
    vectorless.give(choice_seconds=0.3 if bound == "setting" else HANGING)
    pack = await vectorless.ask("zorbword", timeout_ms=300 if bound == "request" else None)
    assert told(pack) == [
        ("embedding-degraded", "lexical", "embedder-unavailable"),
        ("llm-unavailable", "lexical", None),
    ]
    assert paths(pack) == ["garage/wheel.md"]


async def test_both_models_hang(desk: Desk) -> None:
    desk.employ(desk.embedder, seconds=HANGING)
    chooser = FakeChooser()
    chooser.hang_seconds = desk.embedder.hang_seconds = HANGING
    desk.give(chooser=chooser, choice_seconds=HANGING)
    pack = await desk.ask("zorbword", timeout_ms=300)
    desk.embedder.release()
    assert [code for code, _, _ in told(pack)] == ["embedding-degraded", "llm-unavailable"]
    assert paths(pack) == ["garage/wheel.md"]


async def test_a_language_model_that_finds_nothing_fitting(vectorless: Desk, server: ChatServer) -> None:
    server.script = say('{"pages": []}')
    pack = await vectorless.ask("zorbword")
    assert steps(pack) == without_vectors("embedder-unavailable", ("llm", "weak"), ("lexical", "used"))
    assert told(pack) == [("embedding-degraded", "lexical", "embedder-unavailable")]
    assert paths(pack) == ["garage/wheel.md"]
    nothing = await vectorless.ask("quux")
    assert (nothing.evidence, nothing.answerable) == ((), False)
    assert [code for code, _, _ in told(nothing)] == ["embedding-degraded", "no-relevant-evidence"]


async def test_weak_hits_are_left_to_a_language_model_where_it_is_to_be_asked(
    desk: Desk, server: ChatServer, chooser: OpenAIChooser
) -> None:
    server.script = choose("harbour/boat.md")
    desk.give(chooser=chooser, ask_when_weak=True)
    pack = await desk.ask("quux")
    assert pack.retrieval.level == "llm"
    assert steps(pack) == [("chunk", "weak", None), ("llm", "used", None)]
    assert told(pack) == [("llm-fallback-used", "llm", None)]
    assert (paths(pack), pack.answerable) == (["harbour/boat.md"], True)
    assert_whole(await desk.ask("automobile"))
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("script", "outcome", "codes"),
    [
        (fail(500), "unavailable", ["llm-unavailable", "no-relevant-evidence"]),
        (say('{"pages": []}'), "weak", ["no-relevant-evidence"]),
    ],
    ids=["down", "nothing"],
)
async def test_weak_hits_stay_weak_without_a_choice(
    desk: Desk, server: ChatServer, chooser: OpenAIChooser, script: Script, outcome: str, codes: list[str]
) -> None:
    server.script = script
    desk.give(chooser=chooser, ask_when_weak=True)
    pack = await desk.ask("quux")
    assert (pack.retrieval.level, pack.answerable) == ("chunk", False)
    assert steps(pack) == [("chunk", "weak", None), ("llm", outcome, None)]
    assert [code for code, _, _ in told(pack)] == codes
    assert paths(await desk.ask("quux", nearest=True)) != []


async def test_weak_hits_are_no_reason_to_ask_unless_it_is_wanted(desk: Desk) -> None:
    chooser = FakeChooser()
    desk.give(chooser=chooser)
    assert told(await desk.ask("quux")) == [("no-relevant-evidence", "chunk", None)]
    desk.give(ask_when_weak=True)
    for mode in ("chunk", "page", "lexical"):
        await desk.ask("quux", mode=mode)
    assert chooser.asked == []


# Levels that are asked for


@pytest.mark.parametrize(
    ("mode", "query", "path"),
    [
        ("chunk", "automobile", "garage/car.md"),
        ("page", "automobile", "garage/car.md"),
        ("llm", "rope", "harbour/rope.md"),
        ("lexical", "zorbword", "garage/wheel.md"),
    ],
)
async def test_a_level_that_is_asked_for_is_no_degradation(
    desk: Desk, mode: str, query: str, path: str
) -> None:
    desk.give(chooser=FakeChooser())
    pack = await desk.ask(query, mode=mode)
    assert pack.retrieval.level == mode
    assert steps(pack) == [(mode, "used", None)]
    assert told(pack) == []
    assert paths(pack)[0] == path


@pytest.mark.parametrize("mode", ["llm", "lexical"])
async def test_levels_without_vectors_do_not_ask_for_any(desk: Desk, mode: str) -> None:
    desk.give(chooser=FakeChooser())
    desk.embedder.forget()
    desk.embedder.hang_seconds = HANGING
    assert told(await desk.ask("rope", mode=mode)) == []
    assert desk.embedder.requests == 0


async def test_page_can_be_had_without_chunk_vectors(tmp_path: Path) -> None:
    desk = await index(tmp_path, chunks=0)
    pack = await desk.ask("automobile", mode="page")
    assert (pack.retrieval.level, told(pack)) == ("page", [])
    stepped = await desk.ask("automobile", mode="chunk")
    assert stepped.retrieval.level == "page"
    assert told(stepped) == [("embedding-degraded", "page", "chunk-vectors-missing")]


async def test_chunk_is_kept_to_with_few_vectors_and_says_so(tmp_path: Path) -> None:
    pack = await (await index(tmp_path, fillers=71, chunks=BATCH)).ask("automobile", mode="chunk")
    assert pack.retrieval.level == "chunk"
    assert told(pack) == [("embedding-degraded", "chunk", "chunk-vectors-partial")]
    assert paths(pack)[0] == "garage/car.md"


@pytest.mark.parametrize("mode", ["chunk", "page"])
async def test_levels_that_cannot_be_had_step_down(desk: Desk, mode: str) -> None:
    desk.embedder.raising = True
    assert_words_alone(await desk.ask("zorbword", mode=mode), "embedder-unavailable")


async def test_a_choice_that_cannot_be_had_steps_down(desk: Desk) -> None:
    pack = await desk.ask("zorbword", mode="llm")
    assert pack.retrieval.level == "lexical"
    assert steps(pack) == [("llm", "unavailable", None), ("lexical", "used", None)]
    assert told(pack) == [("llm-unavailable", "lexical", None)]
    assert paths(pack) == ["garage/wheel.md"]


# What holds at every level


async def at_each_level(folder: Path) -> AsyncIterator[tuple[Desk, dict[str, Any]]]:
    """Yields a desk for each level of an answer, and what to ask it with."""
    for name, fillers, chunks in (("whole", 2, None), ("partial", 46, BATCH), ("missing", 2, 0)):
        desk = await index(folder / name, fillers=fillers, chunks=chunks)
        yield desk, {}
        desk.give(chooser=FakeChooser())
        if chunks is None:
            for mode in ("page", "llm", "lexical"):
                yield desk, {"mode": mode}


async def test_the_scope_is_applied_before_the_best_are_taken(tmp_path: Path) -> None:
    at_sea = Comparison(type="eq", key="tags", value="sea")
    async for desk, request in at_each_level(tmp_path):
        for scope in ({"path_prefix": "harbour"}, {"filters": at_sea}):
            for query in ("automobile car wheel zorbword boat", "boat"):
                pack = await desk.ask(query, k=1, **scope, **request)
                assert paths(pack) == ["harbour/boat.md"], (request, scope)
            everything = await desk.ask("car wheel boat rope", k=100, nearest=True, **scope, **request)
            assert set(paths(everything)) <= {"harbour/boat.md", "harbour/rope.md"}


async def test_equal_requests_have_equal_packs(tmp_path: Path) -> None:
    async for desk, request in at_each_level(tmp_path):
        packs = [await desk.ask("boat zorbword", **request) for _ in range(3)]
        assert len({pack.pack_id for pack in packs}) == 1


async def test_degradation_is_told_of_on_an_empty_answer_too(tmp_path: Path) -> None:
    desk = await index(tmp_path, chunks=0)
    pack = await desk.ask("quux")
    assert (pack.evidence, pack.answerable) == ((), False)
    assert told(pack) == [
        ("embedding-degraded", "page", "chunk-vectors-missing"),
        ("no-relevant-evidence", "page", None),
    ]


async def test_signs_and_a_large_k_are_answered_at_every_level(tmp_path: Path) -> None:
    async for desk, request in at_each_level(tmp_path):
        pack = await desk.ask("?!", nearest=True, **request)
        assert pack.evidence == () or pack.retrieval.level in ("chunk", "page")
        pack = await desk.ask("boat", k=100, nearest=True, **request)
        chunks = [chunk for passage in pack.evidence for chunk in passage.chunk_ids]
        assert len(chunks) == len(set(chunks))
        scores = [passage.score for passage in pack.evidence]
        assert scores == sorted(scores, reverse=True)
        assert all(0 <= score <= 1 for score in scores)


@pytest.mark.parametrize("mode", ["auto", "chunk", "page", "llm", "lexical"])
async def test_an_index_without_passages_answers_nothing(tmp_path: Path, mode: str) -> None:
    bench = Workbench(tmp_path, {"empty.md": ""})
    await bench.run()
    desk = Desk(bench)
    desk.give(chooser=FakeChooser())
    pack = await desk.ask("zorbword", mode=mode, expand=Expand())
    assert (pack.evidence, pack.answerable) == ((), False)
    assert told(pack)[-1] == ("no-relevant-evidence", pack.retrieval.level, None)


async def test_a_pinned_generation_answers_as_it_was(desk: Desk) -> None:
    before = await desk.ask("zorbword")
    desk.bench.write("garage/wheel.md", "# wheel\n\nnothing left\n")
    await desk.bench.run()
    assert paths(await desk.ask("zorbword")) == []
    again = await desk.ask("zorbword", generation=before.generation)
    assert again.pack_id == before.pack_id


async def test_pages_that_failed_are_told_of_until_they_are_mended(tmp_path: Path) -> None:
    bench = Workbench(tmp_path, {"good.md": "# Good\n\nzorb\n", "bad.md": "# Bad\n\nPOISON\n"})
    bench.embedder.fail_on = "POISON"
    await bench.run()
    (warning,) = (await bench.search("zorb")).warnings
    assert (warning.code, warning.detail) == ("page-issues", {"pages": 1})
    bench.embedder.recover()
    await bench.run()
    assert (await bench.search("zorb")).warnings == ()
