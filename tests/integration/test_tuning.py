"""Fitting the ranking to a wiki: its labels, what hides their answers, and what becomes of the result."""

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner
from fakes import FakeEmbedder

from indexer.history import activate_generation
from indexer.purge import purge_index
from indexer.tuning import commit_tuning
from retrieval.predicates import in_predicate
from retrieval.request import EvidenceRequest
from retrieval.store import Generation, Retention, open_store
from retrieval.tuning import Gain, Provenance, Tuning
from retrieval.weights import DEFAULT_WEIGHTS, RankingWeights
from service.cli import main
from service.errors import TuningImpossible
from service.settings import Settings
from service.status import read_status
from service.tuning.disguise import DisguisedSnapshot
from service.tuning.headings import HeadingHider
from service.tuning.labels import Place, collect_labels
from service.tuning.report import to_dict
from service.tuning.tuner import TuningResult, tune_wiki
from service.wiring import Application

pytestmark = pytest.mark.anyio

KEPT = Retention(keep_generations=5, keep_for=600)
PAGES = {
    "index.md": (
        "# Home\n\nSee [[deploy|shipping it to users]], [[deploy|Deploy]], [here](deploy.md), "
        "[[deploy#Rollback after failure|undoing a release]], [how we test](testing.md), "
        "[checking by hand](testing.md) and [the great plan](https://example.org/plan).\n"
    ),
    "other.md": (
        "# Other\n\n[[deploy|Shipping it to users]]. [[testing|read more]] and [[deploy|read more]].\n"
    ),
    "more.md": "# More\n\n[[index|read more]], [[other|read more]] and [[more|read more]].\n",
    "deploy.md": (
        "---\naliases: [release train, deploy]\n---\n# Deploy\n\nzorbship goes out.\n\n"
        "## Rollback after failure\n\nRun zorbback twice.\n\n### Approval\n\nada decides.\n\n"
        "## Notes\n\nnone\n"
    ),
    "testing.md": "# Testing\n\nzorbtest first.\n\n## Notes\n\nnone here\n",
}


class Watched:
    """Counts what is told of the progress."""

    def __init__(self) -> None:
        self.totals: dict[str, int] = {}
        self.done: dict[str, int] = {}
        self._phase = ""

    def start(self, phase: str, total: int) -> None:
        self._phase = phase
        self.totals[phase] = self.totals.get(phase, 0) + total

    def advance(self, count: int) -> None:
        self.done[self._phase] = self.done.get(self._phase, 0) + count

    def finish(self) -> None:
        self._phase = ""


def make_application(
    folder: Path, pages: dict[str, str], embedder: FakeEmbedder | None = None
) -> Application:
    root = folder / "wiki"
    for path, text in pages.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    settings = Settings(wikis={"default": {"root": root}})
    return Application(settings, embedder=embedder or FakeEmbedder())


def uri_of(application: Application) -> str:
    return application.wiki().settings.index_uri


async def read_newest(application: Application) -> Generation:
    store = await open_store(uri_of(application))
    try:
        return (await store.generations())[0]
    finally:
        store.close()


@pytest.fixture
async def small(tmp_path: Path) -> AsyncIterator[Application]:
    application = make_application(tmp_path, PAGES)
    await application.indexer().run()
    yield application
    application.close()


@pytest.fixture
async def snapshot(small: Application) -> AsyncIterator[DisguisedSnapshot]:
    store = await open_store(uri_of(small))
    snapshot = await DisguisedSnapshot.open(store.database, (await store.generations())[0])
    yield snapshot
    snapshot.close()
    store.close()


async def test_labels_are_what_others_call_a_place_and_not_what_it_calls_itself(
    snapshot: DisguisedSnapshot,
) -> None:
    labels = {(label.kind, label.query): label for label in await collect_labels(snapshot)}
    links = {query: label for (kind, query), label in labels.items() if kind == "link"}
    assert set(links) == {"shipping it to users", "undoing a release", "checking by hand"}
    assert links["shipping it to users"].linkers == ("index.md", "other.md")
    rollback = Place(path="deploy.md", heading_path=("Deploy", "Rollback after failure"))
    assert links["undoing a release"].places == (rollback,)
    assert {query for kind, query in labels if kind == "alias"} == {"release train"}
    headings = {query for kind, query in labels if kind == "heading"}
    assert headings == {"Rollback after failure", "Rollback after failure: Approval"}


async def test_a_heading_is_hidden_from_terms_and_vectors_of_its_page(
    small: Application, snapshot: DisguisedSnapshot
) -> None:
    labels = [label for label in await collect_labels(snapshot) if label.query == "Rollback after failure"]
    assert small.embedder is not None
    watched = Watched()
    shown = await read_page_rows(snapshot)
    disguises = await HeadingHider(snapshot, small.embedder, progress=watched).hide(labels)
    snapshot.disguise = disguises[labels[0]]
    hidden = await read_page_rows(snapshot)
    assert [row["chunk_id"] for row in hidden] == [row["chunk_id"] for row in shown]
    assert {word for row in shown for word in row["terms"].split()} >= {"rollback", "failur"}
    assert not {word for row in hidden for word in row["terms"].split()} & {"rollback", "failur"}
    assert {row["page_terms"] for row in hidden} == {sum(len(row["terms"].split()) for row in hidden)}
    assert watched.done == watched.totals
    fake = FakeEmbedder()
    query = fake.embed(["Rollback after failure"], "query")[0]
    # What is left of the passage is "Deploy" and its text: a cosine of three words in common is gone.
    found = await snapshot.nearest("chunk_vectors", query, columns=["chunk_id"], where=None, limit=50)
    distances = dict(zip(found["chunk_id"].to_pylist(), found["_distance"].to_pylist(), strict=True))
    told = await snapshot.vectors("chunk_vectors", distances)
    for name, distance in distances.items():
        assert 1 - distance == pytest.approx(float(told[name] @ query), abs=1e-5)
    for name, vector in snapshot.disguise.chunk_vectors.items():
        assert float(vector @ query) < 0.5
        assert (told[name] == vector).all()


async def read_page_rows(snapshot: DisguisedSnapshot) -> list[dict[str, str]]:
    rows = await snapshot.rows(
        "chunks",
        columns=["chunk_id", "page_id", "ordinal", "terms", "page_terms"],
        where=in_predicate("path", ["deploy.md"]),
    )
    return sorted(rows.to_pylist(), key=lambda row: row["ordinal"])


async def test_other_pages_and_the_nearest_of_all_are_as_they_are(
    small: Application, snapshot: DisguisedSnapshot
) -> None:
    labels = [label for label in await collect_labels(snapshot) if label.query == "Rollback after failure"]
    assert small.embedder is not None
    query = FakeEmbedder().embed(["zorbtest first"], "query")[0]
    before = await snapshot.nearest("chunk_vectors", query, columns=["chunk_id"], where=None, limit=2)
    disguises = await HeadingHider(snapshot, small.embedder, progress=Watched()).hide(labels)
    snapshot.disguise = disguises[labels[0]]
    after = await snapshot.nearest("chunk_vectors", query, columns=["chunk_id"], where=None, limit=2)
    assert after["chunk_id"][0] == before["chunk_id"][0]
    assert after.num_rows == 2


def write_synonyms(count: int) -> tuple[dict[str, str], FakeEmbedder]:
    """Returns a wiki whose links say in other words what pages are about; the words mislead, vectors do not.

    A link says "alphaq betaq", its page "gammaq deltaq", which mean the same. A long page on something else
    holds the very words.
    """
    pages, synonyms, links = {}, {}, []
    for number in range(count):
        own = "".join(chr(ord("a") + int(digit)) for digit in f"{number:02}")
        pages[f"page{number}.md"] = f"# Page{number}\n\ngamma{own} delta{own}\n"
        filler = " ".join(f"filler{own}x{chr(ord('a') + place)}" for place in range(25))
        pages[f"long{number}.md"] = f"# Long{number}\n\nalpha{own} beta{own} {filler}\n"
        synonyms |= {f"alpha{own}": f"gamma{own}", f"beta{own}": f"delta{own}"}
        links.append(f"- [[page{number}|alpha{own} beta{own}]]")
    pages["index.md"] = "# Home\n\n" + "\n".join(links) + "\n"
    return pages, FakeEmbedder(dimension=256, synonyms=synonyms)


async def tune(application: Application, *, seed: int = 0) -> TuningResult:
    return await tune_wiki(application, application.wiki(), limit=400, seed=seed, progress=Watched())


@pytest.fixture(scope="module")
def synonyms(tmp_path_factory: pytest.TempPathFactory) -> tuple[Application, TuningResult]:
    application = make_application(tmp_path_factory.mktemp("synonyms"), *write_synonyms(60))
    asyncio.run(application.indexer().run())
    result = asyncio.run(tune(application))
    application.close()
    return application, result


def test_a_wiki_that_vectors_know_better_gets_more_weight_for_them(
    synonyms: tuple[Application, TuningResult],
) -> None:
    _, result = synonyms
    assert result.labels == {"link": 60}
    assert result.tuning is not None
    gain = result.tuning.provenance.gain
    assert gain.taken
    assert gain.before < 0.7 < 0.9 < gain.after
    assert result.tuning.weights.dense > DEFAULT_WEIGHTS.dense
    assert replace(result.tuning.weights, dense=DEFAULT_WEIGHTS.dense) == DEFAULT_WEIGHTS
    assert result.tuning.shares["lexical"] < 0.7


async def test_what_was_fitted_answers_queries_and_stays_with_later_runs(
    synonyms: tuple[Application, TuningResult],
) -> None:
    application, result = synonyms
    uri, request = uri_of(application), EvidenceRequest(query="alphaah betaah", nearest=True)
    retriever = application.wiki().retriever
    before = await retriever.retrieve(request)
    committed = await commit_tuning(uri, result.tuning, retention=KEPT)
    assert committed.tuning == result.tuning
    assert (await commit_tuning(uri, result.tuning, retention=KEPT)) == committed
    after = await retriever.retrieve(request)
    assert (before.evidence[0].citation.path, after.evidence[0].citation.path) == ("long7.md", "page7.md")
    assert after.config_digest != before.config_digest
    (Path(application.wiki().settings.root or "") / "new.md").write_text("# New\n\ntext\n")
    await application.indexer().run()
    assert (await read_newest(application)).tuning == result.tuning
    await purge_index(uri)
    assert (await read_newest(application)).tuning == result.tuning
    assert (await commit_tuning(uri, None, retention=KEPT)).tuning is None
    assert (await retriever.retrieve(request)).evidence[0].citation.path == "long7.md"
    application.close()


def make_tuning(generation: Generation, **changes: object) -> Tuning:
    assert generation.basis is not None
    gain = Gain(labels=30, before=0.5, after=0.6, low=0.05, high=0.15, taken=True)
    tuning = Tuning(
        weights=RankingWeights(dense=0.8),
        floor=None,
        shares={"page": 0.9, "lexical": 0.72},
        basis=generation.basis,
        provenance=Provenance(created=86_400.0, generation=1, seed=0, labels={"link": 60}, gain=gain),
    )
    return replace(tuning, **changes)


async def test_going_back_to_a_generation_brings_its_tuning_back(small: Application) -> None:
    uri = uri_of(small)
    untuned = await read_newest(small)
    tuned = await commit_tuning(uri, make_tuning(untuned), retention=KEPT)
    assert (await activate_generation(uri, untuned.number, retention=KEPT)).tuning is None
    again = await activate_generation(uri, tuned.number, retention=KEPT)
    assert (again.tuning, again.tables) == (tuned.tuning, tuned.tables)


async def test_another_model_sets_a_tuning_aside_and_status_says_so(small: Application) -> None:
    newest = await read_newest(small)
    await commit_tuning(uri_of(small), make_tuning(newest), retention=KEPT)
    (wiki,) = (await read_status(small)).wikis
    assert wiki.tuning is not None
    assert wiki.quality is not None
    assert (wiki.tuning.at_work, wiki.tuning.created) == (True, "1970-01-02T00:00:00Z")
    assert wiki.tuning.changed == {"dense": (DEFAULT_WEIGHTS.dense, 0.8)}
    assert (wiki.quality.lexical, wiki.quality.measured_on) == (0.72, "own-labels")
    other = Application(small.settings, embedder=FakeEmbedder(model="other"))
    await other.indexer().run()
    (wiki,) = (await read_status(other)).wikis
    assert wiki.tuning is not None
    assert wiki.quality is not None
    assert (wiki.tuning.at_work, wiki.quality.measured_on) == (False, "public-sets")
    other.close()


async def test_a_warning_tells_the_share_that_was_measured_on_the_wiki(small: Application) -> None:
    embedder = small.embedder
    assert isinstance(embedder, FakeEmbedder)
    embedder.raising = True
    request = EvidenceRequest(query="zorbship")
    retriever = small.wiki().retriever
    (warning,) = (await retriever.retrieve(request)).warnings
    assert warning.detail["measured_on"] == "public-sets"
    await commit_tuning(uri_of(small), make_tuning(await read_newest(small)), retention=KEPT)
    (warning,) = (await retriever.retrieve(request)).warnings
    assert (warning.code, warning.level) == ("embedding-degraded", "lexical")
    assert (warning.detail["expected_quality"], warning.detail["measured_on"]) == (0.72, "own-labels")
    assert "about 72% of full quality" in warning.message


async def test_a_wiki_with_too_few_labels_keeps_the_defaults(small: Application) -> None:
    result = await tune(small)
    assert (result.tuning, result.floor) == (None, None)
    assert sum(result.labels.values()) == result.fitted + result.held_back > 0
    assert to_dict(result, generation=None)["status"] == "too-few-labels"


async def test_vectors_must_be_there_and_of_the_model(tmp_path: Path, small: Application) -> None:
    with pytest.raises(TuningImpossible, match="without an embedding model"):
        await tune(Application(small.settings.model_copy(update={"embedder": "none"})))
    with pytest.raises(TuningImpossible, match="another embedding model"):
        await tune(Application(small.settings, embedder=FakeEmbedder(model="other")))
    words = make_application(tmp_path / "words", PAGES)
    await Application(words.settings.model_copy(update={"embedder": "none"})).indexer().run()
    with pytest.raises(TuningImpossible, match="not all passages"):
        await tune(words)


def test_the_result_as_json_has_every_key(synonyms: tuple[Application, TuningResult]) -> None:
    report = to_dict(synonyms[1], generation=3)
    assert json.loads(json.dumps(report)).keys() == {
        *("status", "generation", "labels", "halves", "weights", "changed", "quality", "floor", "shares"),
    }
    assert (report["status"], report["generation"]) == ("ok", 3)
    assert set(report["quality"]) == {"labels", "before", "after", "low", "high", "taken"}
    assert set(report["floor"]) == {"default", "fitted", "refused", "refused_without"}


def test_the_command_resets_and_refuses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    application = make_application(tmp_path, PAGES)
    asyncio.run(application.indexer().run())
    root = str(tmp_path / "wiki")
    result = CliRunner().invoke(main, ["tune", root, "--reset", "--json"])
    assert (result.exit_code, json.loads(result.stdout)["status"]) == (0, "reset")
    result = CliRunner().invoke(main, ["tune", root, "--embedder", "none", "--json"])
    assert (result.exit_code, json.loads(result.stdout)["code"]) == (1, "tuning-impossible")
    assert CliRunner().invoke(main, ["tune", root, "--reset", "--dry-run"]).exit_code == 2
