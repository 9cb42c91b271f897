"""The conformance cases: what goes wrong elsewhere with wikis, chunks, links, indexes and search.

`pytest tests/cases` runs `cases.jsonl`; `pytest tests/cases --cases FILE` another file of the same form. The
words of a case are explained in `conformance.checks` and `conformance.steps`; what was decided where a case
leaves a choice stands in docs/decisions/0005-case-policies.md.
"""

from pathlib import Path

import pytest
from conformance.case import Case, CaseFailure, load_cases
from conformance.runner import run_case

from .postponed import POSTPONED

CASES = Path(__file__).parent / "cases.jsonl"


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    file = metafunc.config.getoption("--cases") or CASES
    cases = load_cases(Path(file))
    metafunc.parametrize("case", [pytest.param(case, id=case.id, marks=marks(case)) for case in cases])


def marks(case: Case) -> list[pytest.MarkDecorator]:
    if case.id not in POSTPONED:
        return []
    reason = f"belongs to part {POSTPONED[case.id]}"
    return [pytest.mark.xfail(raises=CaseFailure, strict=True, reason=reason)]


def test_case(case: Case, tmp_path: Path) -> None:
    run_case(case, tmp_path)
