"""Work on an index that is killed: some generation answers, and the next run finishes the work."""

from pathlib import Path

from kills import KINDS, KillBench

TURNS = 4
TURNS_WITH_TOKENS = 1
# What a killed process leaves behind is cleared by those that follow.
MOST_FILES = 400


def test_killed_work_loses_nothing_and_the_next_run_completes(tmp_path: Path) -> None:
    bench = KillBench(tmp_path, seed=20)
    rounds = [bench.kill(kind) for _ in range(TURNS) for kind in KINDS]
    bench.close()
    assert sum(one.hit for one in rounds) >= len(rounds) // 3, "most work ends before it is killed"
    assert max(one.files for one in rounds) < MOST_FILES


def test_killed_work_on_an_index_with_tokens_loses_nothing(tmp_path: Path) -> None:
    bench = KillBench(tmp_path, seed=21, tokens=True)
    rounds = [bench.kill(kind) for _ in range(TURNS_WITH_TOKENS) for kind in KINDS]
    bench.close()
    assert max(one.files for one in rounds) < MOST_FILES
