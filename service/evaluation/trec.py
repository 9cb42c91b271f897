"""Run files and judgments in the format of TREC, for other tools.

Columns are separated by blanks, so blanks and `%` in ids are written as in a URL.
"""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from urllib.parse import quote

import regex

from service.evaluation.dataset import EvaluationSet
from service.evaluation.experiment import Trial

_UNFIT = regex.compile(r"[\s%]")


def write_files(folder: Path, dataset: EvaluationSet, trials: Sequence[Trial]) -> None:
    """Writes `qrels.txt` and a `<run>.trec` for each run; makes the folder where it is missing.

    Raises:
        OSError: They cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    _write(folder / "qrels.txt", _qrel_lines(dataset, trials))
    for name in trials[0].outcomes if trials else ():
        _write(folder / f"{name}.trec", _run_lines(name, trials))


def _qrel_lines(dataset: EvaluationSet, trials: Iterable[Trial]) -> Iterator[str]:
    """Yields judgments of the queries that were tried, so that those left out do not count as failures."""
    for trial in trials:
        for page, grade in dataset.grades[trial.query.id].items():
            yield f"{_escape(trial.query.id)} 0 {_escape(page)} {grade}"


def _run_lines(name: str, trials: Iterable[Trial]) -> Iterator[str]:
    """Scores stand for the order alone, so that a tool that sorts by them keeps it."""
    for trial in trials:
        for rank, page in enumerate(trial.outcomes[name].pages, start=1):
            yield f"{_escape(trial.query.id)} Q0 {_escape(page)} {rank} {-rank} {name}"


def _escape(name: str) -> str:
    return _UNFIT.sub(lambda found: quote(found[0], safe=""), name)


def _write(path: Path, lines: Iterable[str]) -> None:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8", newline="\n")
