"""Run files and judgments in the format of TREC, for other tools.

Columns are separated by blanks, so blanks and `%` in ids are written as in a URL.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from urllib.parse import quote

import regex

from service.evaluation.dataset import EvaluationSet
from service.evaluation.experiment import Outcome

_UNFIT = regex.compile(r"[\s%]")


def write_files(folder: Path, dataset: EvaluationSet, outcomes: Mapping[str, Sequence[Outcome]]) -> None:
    """Writes `qrels.txt` and a `<run>.trec` for each run; makes the folder where it is missing.

    Raises:
        OSError: They cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    _write(folder / "qrels.txt", _qrel_lines(dataset))
    for name, found in outcomes.items():
        _write(folder / f"{name}.trec", _run_lines(name, found))


def _qrel_lines(dataset: EvaluationSet) -> Iterator[str]:
    for query in dataset.queries:
        for page, grade in dataset.grades[query.id].items():
            yield f"{_escape(query.id)} 0 {_escape(page)} {grade}"


def _run_lines(name: str, outcomes: Sequence[Outcome]) -> Iterator[str]:
    """Scores stand for the order alone, so that a tool that sorts by them keeps it."""
    for outcome in outcomes:
        for rank, page in enumerate(outcome.pages, start=1):
            yield f"{_escape(outcome.query.id)} Q0 {_escape(page)} {rank} {-rank} {name}"


def _escape(name: str) -> str:
    return _UNFIT.sub(lambda found: quote(found[0], safe=""), name)


def _write(path: Path, lines: Iterable[str]) -> None:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8", newline="\n")
