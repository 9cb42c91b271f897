"""Measures P(relevant) and refusals: `python tests/measure/reliability.py SET INDEX [SET INDEX ...]`.

Each SET is a folder of queries with judgments, and INDEX the place of its index, as `wikitrail eval SET
--index INDEX` leaves it. Asked are the queries of every set of its own pages, of these without the relevant
ones (the answer is missing), and of the pages of every other set. Printed are, by tenths of P(relevant) of
the first passage, how many queries there were and how often its page was relevant; and the shares that were
refused. With --limit N about so many queries of a set are asked, evenly taken.
"""

import argparse
import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from retrieval.ablation import WHOLE
from retrieval.filters import Filter, parse_filter
from retrieval.request import EvidenceRequest
from service.evaluation.dataset import EvaluationSet, Query, read_set
from service.settings import Settings
from service.wiring import Application

BINS = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """P(relevant) of the first passage, whether its page is relevant, and whether it was refused."""

    probability: float
    relevant: bool
    refused: bool


async def ask(
    application: Application, wiki: str, query: Query, grades: Mapping[str, int], *, without: bool
) -> Answer:
    """Asks one wiki, with the relevant pages or without them."""
    request = EvidenceRequest(query=query.text, filters=leave_out(grades) if without else None)
    ranking = await application.wiki(wiki).retriever.rank(request, ablation=WHOLE)
    best = ranking.candidates[0] if ranking.candidates else None
    return Answer(
        probability=best.score if best else 0.0,
        relevant=best is not None and grades.get(best.path, 0) > 0,
        refused=ranking.is_weak,
    )


def leave_out(grades: Mapping[str, int]) -> Filter:
    relevant = [page for page, grade in grades.items() if grade > 0]
    return parse_filter({"type": "nin", "key": "path", "value": relevant})


def thin(queries: Sequence[Query], limit: int | None) -> Sequence[Query]:
    return queries if limit is None else queries[:: max(1, len(queries) // limit)]


def describe_bins(name: str, answers: Sequence[Answer]) -> None:
    print(f"\n{name}: P(relevant) of the first passage, {len(answers)} queries")
    for number in range(BINS):
        found = [answer for answer in answers if min(BINS - 1, int(answer.probability * BINS)) == number]
        if found:
            mean, right = fmean(a.probability for a in found), fmean(a.relevant for a in found)
            span = f"{number / BINS:.1f}-{(number + 1) / BINS:.1f}"
            print(f"  {span}  {len(found):5}  mean {mean:.2f}  relevant {right:.2f}")
    brier = fmean((answer.probability - answer.relevant) ** 2 for answer in answers)
    mean, right = fmean(a.probability for a in answers), fmean(a.relevant for a in answers)
    print(f"  all      {len(answers):5}  mean {mean:.2f}  relevant {right:.2f}  Brier score {brier:.3f}")


def describe_refusals(name: str, answers: Sequence[Answer]) -> None:
    print(f"  {name:44} {fmean(answer.refused for answer in answers):6.1%} of {len(answers)}")


async def main() -> None:
    parser = argparse.ArgumentParser(description="Measures P(relevant) and refusals over several sets.")
    parser.add_argument("places", nargs="+", metavar="SET INDEX", type=Path)
    parser.add_argument("--limit", type=int, help="queries of a set")
    arguments = parser.parse_args()
    places = arguments.places
    sets: dict[str, EvaluationSet] = {}
    wikis: dict[str, dict[str, str]] = {}
    for folder, index in zip(places[::2], places[1::2], strict=True):
        dataset = read_set(folder)
        sets[dataset.name] = dataset
        wikis[dataset.name] = {"root": str(dataset.corpus), "index": str(index)}
    application = Application(Settings(wikis=wikis, default_wiki=next(iter(wikis))))
    assert application.embedder is not None
    application.embedder.embed(["warm up"], "query")
    refusals: list[tuple[str, list[Answer]]] = []
    for name, dataset in sets.items():
        queries = thin(dataset.queries, arguments.limit)
        for other in sets:
            grades = dataset.grades if other == name else {}
            answers = [await ask(application, other, q, grades.get(q.id, {}), without=False) for q in queries]
            if other == name:
                describe_bins(name, answers)
                missing = [await ask(application, name, q, grades[q.id], without=True) for q in queries]
                refusals.append((f"{name}, the answer missing", missing))
            refusals.append((f"{name} asked of {'its own pages' if other == name else other}", answers))
    print("\nrefused")
    for label, answers in refusals:
        describe_refusals(label, answers)
    application.close()


if __name__ == "__main__":
    asyncio.run(main())
