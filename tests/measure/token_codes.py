"""What late interaction is worth, by the form in which the tokens of passages are kept.

`python tests/measure/token_codes.py SET INDEX` ranks the queries of an evaluation set by an index of its
corpus, which `wikitrail eval SET --index INDEX` makes, and embeds the first candidates once more for their
tokens. It prints nDCG@10 and section hits of both scores mixed, by form, depth and share, before links are
followed, and the interval of the difference to the ranking without. `--stride 2` takes every second query,
`--offset 1` the other half.
"""

import argparse
import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from chunking.embedded import embed_text, write_prefix
from retrieval.ablation import Ablation
from retrieval.candidate import Candidate
from retrieval.embedding.minilm import load_minilm
from retrieval.embedding.port import Vectors
from retrieval.refinement.mixing import mix_scores
from retrieval.request import MAX_K, EvidenceRequest
from retrieval.store import Snapshot
from service.evaluation.dataset import EvaluationSet, Query, read_set
from service.evaluation.experiment import Experiment, Trial
from service.evaluation.report import make_report
from service.settings import Settings
from service.wiring import Application

SHARES = (0.1, 0.2, 0.3, 0.5)
DEPTHS = (10, 20, 30, 50)
DEPTH = 20
HITS = ("section_hit@1", "section_hit@5")
WITHOUT = "without"
DIMENSION = 384


def to_bytes(tokens: Vectors) -> Vectors:
    step = np.abs(tokens).max(axis=1, keepdims=True) / 127
    return np.round(tokens / step) * step


def to_nibbles(tokens: Vectors) -> Vectors:
    step = 0.35 / DIMENSION**0.5
    return (np.clip(np.floor(tokens / step), -8, 7) + 0.5) * step


def to_signs(tokens: Vectors) -> Vectors:
    return np.where(tokens >= 0, 1.0, -1.0).astype(np.float32) / np.float32(DIMENSION**0.5)


FORMS: Mapping[str, tuple[Callable[[Vectors], Vectors], float]] = {
    "16 bits": (lambda tokens: tokens.astype(np.float16).astype(np.float32), 2.0 * DIMENSION),
    "8 bits": (to_bytes, 1.0 * DIMENSION),
    "4 bits": (to_nibbles, 0.5 * DIMENSION),
    "192 of 384 numbers, 8 bits": (lambda tokens: to_bytes(tokens[:, :192]), 192.0),
    "signs": (to_signs, DIMENSION / 8),
}
"""What is left of tokens of length 1, and how many bytes that takes for each."""


class Tokens:
    """Embeds texts for their tokens, each once."""

    def __init__(self) -> None:
        self._embedder = load_minilm()
        self._known: dict[str, Vectors] = {}

    def of_query(self, text: str) -> Vectors:
        return self._embedder.embed_with_tokens([text], "query")[1][0]

    def of_passages(self, candidates: Sequence[Candidate]) -> list[Vectors]:
        new = [item for item in candidates if item.chunk_id not in self._known]
        texts = [embed_text(write_prefix(item.title, item.heading_path), item.text) for item in new]
        _, tokens = self._embedder.embed_with_tokens(texts, "chunk")
        self._known |= dict(zip((item.chunk_id for item in new), tokens, strict=True))
        return [self._known[item.chunk_id] for item in candidates]

    @property
    def mean_count(self) -> float:
        return float(np.mean([len(tokens) for tokens in self._known.values()]))


def interact(query: Vectors, passages: Sequence[Vectors]) -> list[float]:
    return [float((query[:, : each.shape[1]] @ each.T).max(axis=1).mean()) for each in passages]


def refine(
    query: Vectors, ranked: list[Candidate], passages: list[Vectors]
) -> Iterator[tuple[str, list[Candidate]]]:
    """Yields a ranking for each form, depth and share, by what they are called."""
    for form, (reduce, _) in FORMS.items():
        found = interact(query, [reduce(each) for each in passages])
        for depth in DEPTHS if form == "signs" else (DEPTH,):
            head, tail = ranked[:depth], ranked[depth:]
            scores = {item.chunk_id: score for item, score in zip(head, found[:depth], strict=True)}
            for share in SHARES:
                yield f"{form}, {depth}, {share}", [*mix_scores(head, scores, share=share), *tail]


async def try_query(experiment: Experiment, query: Query, tokens: Tokens) -> Trial:
    """Returns what every ranking of a query gives."""
    request = EvidenceRequest(query=query.text, k=MAX_K, rerank="none", generation=experiment.generation)
    ranking = await experiment.rank(request, ablation=Ablation(lanes=frozenset({"dense", "lexical"})))
    # Not P(relevant), which is what a user sees, but the score that a second stage gets.
    ranked = [replace(item, score=item.scores.rerank or 0.0) for item in ranking.candidates]
    passages = tokens.of_passages(ranked[: max(DEPTHS)])
    rankings = {WITHOUT: ranked, **dict(refine(tokens.of_query(query.text), ranked, passages))}
    outcomes = {
        name: experiment.describe(query, replace(ranking, candidates=tuple(candidates)))
        for name, candidates in rankings.items()
    }
    return Trial(query=query, outcomes=outcomes, repeats=frozenset(), pack=None)


def show(dataset: EvaluationSet, trials: Sequence[Trial], tokens: Tokens) -> None:
    report = make_report(dataset, trials, baselines=[WITHOUT])
    for form, (_, size) in FORMS.items():
        print(f"{form}: {size * tokens.mean_count / 1024:.1f} KB a passage")
    for name, means in report.runs.items():
        sure = report.differences[WITHOUT].get(name, {}).get("ndcg@10")
        line = f"{sure.mean:+.4f} [{sure.low:+.4f}, {sure.high:+.4f}]" if sure else ""
        hits = " ".join(f"{means[key]:.3f}" for key in HITS if means[key] is not None)
        print(f"{name:36} {means['ndcg@10']:.4f} {line:28} {hits}")


async def main() -> None:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("set", type=Path)
    arguments.add_argument("index")
    arguments.add_argument("--stride", type=int, default=1)
    arguments.add_argument("--offset", type=int, default=0)
    given = arguments.parse_args()
    dataset, tokens = read_set(given.set), Tokens()
    wiki = Application(Settings(wikis={"default": {"index": given.index}})).wiki()
    tokens.of_query("the model is loaded")
    generation = await wiki.reader.read(read_number)
    experiment = Experiment(
        dataset=dataset,
        runs=(),
        rank=wiki.retriever.rank,
        retrieve=wiki.retriever.retrieve,
        generation=generation,
    )
    queries = dataset.queries[given.offset :: given.stride]
    show(dataset, [await try_query(experiment, query, tokens) for query in queries], tokens)


async def read_number(snapshot: Snapshot) -> int:
    return snapshot.generation.number


if __name__ == "__main__":
    asyncio.run(main())
