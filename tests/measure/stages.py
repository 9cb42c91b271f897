"""Measures what each stage of a query costs and gains: `python tests/measure/stages.py SET INDEX`.

SET is a folder of queries with judgments, INDEX the place of its index, as `wikitrail eval SET --index INDEX`
leaves it. Every query is ranked with one part more each time, and answered as a user would be, alone on the
machine; printed are the gains in nDCG@10 with 95 % intervals (paired bootstrap), and the milliseconds of
every stage. `embedding` and `lexical` run beside each other.
"""

import argparse
import asyncio
import statistics
from collections import defaultdict
from pathlib import Path

from retrieval.pack import EvidencePack
from retrieval.request import EvidenceRequest
from service.evaluation.dataset import read_set
from service.evaluation.experiment import Experiment, collect
from service.evaluation.report import make_report
from service.evaluation.runs import RUNS
from service.settings import Settings
from service.wiring import Application

STEPS = (("lexical", "fused"), ("dense", "fused"), ("fused", "reranked"), ("reranked", "full"))
MEASURE = "ndcg@10"


async def main() -> None:
    parser = argparse.ArgumentParser(description="Measures the cost and the gain of the stages of a query.")
    parser.add_argument("folder", metavar="SET", type=Path)
    parser.add_argument("index", metavar="INDEX", type=Path)
    parser.add_argument("--limit", type=int, help="queries")
    arguments = parser.parse_args()
    dataset = read_set(arguments.folder)
    settings = Settings(wikis={"set": {"root": str(dataset.corpus), "index": str(arguments.index)}})
    application = Application(settings)
    assert application.embedder is not None
    application.embedder.embed(["warm up"], "query")
    retriever = application.wiki().retriever
    times: dict[str, list[float]] = defaultdict(list)

    async def retrieve(request: EvidenceRequest) -> EvidencePack:
        pack = await retriever.retrieve(request)
        for stage, milliseconds in pack.retrieval.timings_ms.items():
            times[stage].append(milliseconds)
        return pack

    generation = (await retriever.retrieve(EvidenceRequest(query="warm up"))).generation
    names = ("full", "lexical", "dense", "fused", "reranked")
    experiment = Experiment(
        dataset=dataset,
        runs=[RUNS[name] for name in names],
        rank=retriever.rank,
        retrieve=retrieve,
        generation=generation,
    )
    queries = dataset.queries
    step = max(1, len(queries) // arguments.limit) if arguments.limit else 1
    trials = await collect(experiment.run(queries[::step]))
    application.close()
    report = make_report(dataset, trials, baselines=["lexical", "dense", "fused", "reranked"])
    print(f"{dataset.name}: {report.queries} queries, {MEASURE}")
    for name in names:
        print(f"  {name:10} {report.runs[name][MEASURE]:.4f}")
    for before, after in STEPS:
        gain = report.differences[before][after][MEASURE]
        print(f"  {before:8} -> {after:8} {gain.mean:+.4f} [{gain.low:+.4f}, {gain.high:+.4f}]")
    print("milliseconds of a query: p50, p95")
    for stage, values in times.items():
        print(f"  {stage:10} {statistics.median(values):7.1f} {statistics.quantiles(values, n=20)[-1]:7.1f}")


if __name__ == "__main__":
    asyncio.run(main())
