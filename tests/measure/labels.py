"""Whether a wiki's own labels tell good weights from bad ones as real queries do.

    python tests/measure/labels.py SET INDEX --limit 300 --queries 200

SET is a folder of queries with judgments, and INDEX the place of its index, as `wikitrail eval SET --index
INDEX` leaves it. Labels and queries are ranked with each value of each weight, the others being the default
ones. Printed are the mean quality of both, and the share of it that lower levels have.
"""

import argparse
import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from retrieval.models import Models
from retrieval.outline import decode_outline
from retrieval.store import open_store
from retrieval.warnings import Level
from retrieval.weights import DEFAULT_WEIGHTS
from service.cli.progress import ProgressBar
from service.evaluation.dataset import EvaluationSet, read_set
from service.settings import Settings
from service.tuning.disguise import Disguise, DisguisedSnapshot
from service.tuning.fit import GRID, rank_again
from service.tuning.headings import HeadingHider
from service.tuning.labels import Label, Place, collect_labels
from service.tuning.quality import mean, measure_quality
from service.tuning.sample import draw_sample
from service.tuning.trials import Laboratory
from service.wiring import Application

LOWER: tuple[Level, ...] = ("page", "lexical")


async def main(folder: Path, index: str, limit: int, queries: int) -> None:
    application = Application(Settings(wikis={"default": {"root": folder / "corpus", "index": index}}))
    assert application.embedder is not None
    assert application.query_embedder is not None
    await application.query_embedder.warm()
    store = await open_store(index)
    generation = (await store.generations())[0]
    assert generation.space is not None
    snapshot = await DisguisedSnapshot.open(store.database, generation)
    sample = draw_sample(await collect_labels(snapshot), limit=limit, seed=0)
    progress = ProgressBar()
    hider = HeadingHider(snapshot, application.embedder, progress=progress)
    disguises: Mapping[Label, Disguise] = await hider.hide((*sample.fitted, *sample.held_back))
    usable = sample.keep(lambda label: label.section is None or label in disguises)
    laboratory = Laboratory(
        snapshot=snapshot,
        disguises=disguises,
        models=Models(embedder=application.query_embedder),
        progress=progress,
    )
    outlines = await snapshot.rows("pages", columns=["path", "outline"])
    by_path = dict(zip(outlines["path"].to_pylist(), outlines["outline"].to_pylist(), strict=True))
    real = list(read_queries(read_set(folder), by_path))[:queries]
    print(f"{len((*usable.fitted, *usable.held_back))} labels ({usable.count()}), {len(real)} queries")
    await compare("labels", (*usable.fitted, *usable.held_back), laboratory, generation.space.origin)
    await compare("queries", real, laboratory, generation.space.origin)


def read_queries(dataset: EvaluationSet, outlines: Mapping[str, str]) -> Iterator[Label]:
    """Yields the queries as if they were labels of the wiki."""
    for query in dataset.queries:
        sections = dataset.sections.get(query.id, ())
        places = [
            Place(path=section.page, heading_path=entry.heading_path)
            for section in sections
            for entry in decode_outline(outlines[section.page]).sections
            if entry.span.line_start <= section.first_line <= entry.span.line_end
        ]
        pages = [Place(path=page) for page, grade in dataset.grades[query.id].items() if grade > 0]
        yield Label(kind="link", query=query.text, places=tuple(places or pages))


async def compare(name: str, labels: Sequence[Label], laboratory: Laboratory, origin: float) -> None:
    trials = await laboratory.try_labels(labels, weights=DEFAULT_WEIGHTS, level="chunk")
    measure = rank_again(trials, origin)
    for weight, values in GRID.items():
        qualities = (mean(measure(replace(DEFAULT_WEIGHTS, **{weight: value}))) for value in values)
        pairs = zip(values, qualities, strict=True)
        print(name, weight, " ".join(f"{value}:{quality:.3f}" for value, quality in pairs))
    full = mean(measure_quality([(trial.label, trial.candidates) for trial in trials]))
    for level in LOWER:
        lower = await laboratory.try_labels(labels, weights=DEFAULT_WEIGHTS, level=level)
        share = mean(measure_quality([(trial.label, trial.candidates) for trial in lower])) / full
        print(f"{name} share at level {level}: {share:.3f} of {full:.3f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("index")
    parser.add_argument("--limit", type=int, default=300)
    parser.add_argument("--queries", type=int, default=200)
    given = parser.parse_args()
    asyncio.run(main(given.folder, given.index, given.limit, given.queries))
