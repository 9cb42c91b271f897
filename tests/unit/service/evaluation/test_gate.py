"""Floors."""

from pathlib import Path

import pytest

from service.errors import InvalidGate
from service.evaluation.gate import Miss, find_misses, read_floors


def test_floors_are_read_by_run_and_measure(tmp_path: Path) -> None:
    path = tmp_path / "gate.toml"
    path.write_text('[full]\n"ndcg@10" = 0.9\n"recall@5" = 1\n[lexical]\n"rr@10" = 0.5\n')
    assert read_floors(path) == {"full": {"ndcg@10": 0.9, "recall@5": 1}, "lexical": {"rr@10": 0.5}}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[full", "cannot read the floors"),
        ("", "names no floor"),
        ("[full]\n", "names no floor"),
        ('[best]\n"ndcg@10" = 0.9\n', "there is no run 'best'; those are full, lexical"),
        ('[full]\n"ndcg@20" = 0.9\n', "there is no measure 'ndcg@20'; those are ndcg@10, rr@10"),
        ('[full]\n"ndcg@10" = 90\n', "the floor of 'ndcg@10' in 'full' has to be from 0 to 1"),
        ('[full]\n"ndcg@10" = true\n', "has to be from 0 to 1"),
        ('[full]\n"ndcg@10" = nan\n', "has to be from 0 to 1"),
        ("full = 0.9\n", "'full' has to be a table"),
    ],
)
def test_a_wrong_file_says_what_is_wrong(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "gate.toml"
    path.write_text(text)
    with pytest.raises(InvalidGate) as caught:
        read_floors(path)
    assert message in str(caught.value)
    assert str(path) in str(caught.value)


def test_what_is_below_or_was_not_measured_is_a_miss() -> None:
    floors = {"full": {"ndcg@10": 0.9, "rr@10": 0.5, "section_hit@1": 0.1}, "dense": {"rr@10": 0.2}}
    means = {"full": {"ndcg@10": 0.89, "rr@10": 0.5, "section_hit@1": None}}
    assert find_misses(floors, means) == (
        Miss(run="full", measure="ndcg@10", floor=0.9, value=0.89),
        Miss(run="full", measure="section_hit@1", floor=0.1, value=None),
        Miss(run="dense", measure="rr@10", floor=0.2, value=None),
    )
