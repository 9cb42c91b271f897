"""Measures what links are worth to a ranking: `python tests/measure/links.py SET INDEX`.

SET is a folder of queries with judgments, INDEX the place of its index, as `wikitrail eval SET --index INDEX`
leaves it. Every query is ranked at the level of passage vectors without links and with those within one and
two hops; printed are means, the gain over no links with its 95 % interval (paired bootstrap), the shares of
queries whose nDCG@10 rises and falls by more than .05, and the milliseconds of a ranking.
"""

import argparse
import asyncio
import statistics
import time
from pathlib import Path

from retrieval.ablation import Ablation
from retrieval.ranking import Ranking
from retrieval.request import EvidenceRequest, Expand
from service.evaluation.bootstrap import compare
from service.evaluation.dataset import EvaluationSet, read_set
from service.evaluation.experiment import Experiment, collect
from service.evaluation.measures import Values, average, measure_runs
from service.evaluation.runs import Run
from service.settings import Settings
from service.wiring import Application, Wiki

NDCG, SHOWN = "ndcg@10", ("ndcg@10", "recall@5", "recall@10")
MUCH = 0.05


async def measure_hops(dataset: EvaluationSet, wiki: Wiki, hops: int) -> Values:
    """Returns the measures of every query with links followed so far, and prints what that takes."""
    seconds = []

    async def rank(request: EvidenceRequest, *, ablation: Ablation) -> Ranking:
        start = time.perf_counter()
        asked = EvidenceRequest(query=request.query, k=request.k, mode=request.mode, expand=Expand(hops=hops))
        ranking = await wiki.retriever.rank(asked, ablation=ablation)
        seconds.append(time.perf_counter() - start)
        return ranking

    run = Run(name=str(hops), mode="chunk")
    experiment = Experiment(
        dataset=dataset, runs=[run], rank=rank, retrieve=wiki.retriever.retrieve, generation=0
    )
    trials = await collect(experiment.run(dataset.queries))
    print(f"{hops} hops: {1000 * statistics.median(seconds):.1f} ms", end="")
    return measure_runs(dataset, trials)[run.name]


async def main() -> None:
    parser = argparse.ArgumentParser(description="Measures what links are worth to a ranking.")
    parser.add_argument("folder", metavar="SET", type=Path)
    parser.add_argument("index", metavar="INDEX", type=Path)
    arguments = parser.parse_args()
    dataset = read_set(arguments.folder)
    settings = Settings(wikis={"set": {"root": str(dataset.corpus), "index": str(arguments.index)}})
    application = Application(settings, query_seconds=60)
    assert application.embedder is not None
    application.embedder.embed([query.text for query in dataset.queries], "query")
    print(f"{dataset.name}: {len(dataset.queries)} queries")
    without: Values | None = None
    for hops in (0, 1, 2):
        values = await measure_hops(dataset, application.wiki(), hops)
        print("".join(f", {name} {average(values[name]):.4f}" for name in SHOWN), end="")
        without = without or values
        changes = [values[NDCG][query] - value for query, value in without[NDCG].items()]
        risen, fallen = (sum(sign * change > MUCH for change in changes) for sign in (1, -1))
        gain = compare(values[NDCG], without[NDCG])
        print(f", +{risen / len(changes):.3f} -{fallen / len(changes):.3f} {gain}")
    application.close()


if __name__ == "__main__":
    asyncio.run(main())
