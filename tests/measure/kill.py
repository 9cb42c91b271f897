"""Kills index work at random moments: `python tests/measure/kill.py [--rounds N] [--seed N]`.

Kinds of work take turns. Printed are the rounds of each kind, how many of them hit a process that still
worked, which version of the wiki answered afterwards, what was embedded again, and what was checked.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

SUPPORT = Path(__file__).parents[1] / "support"
sys.path.insert(0, str(SUPPORT))

from kills import CHECKS, KINDS, KillBench, Round  # noqa: E402  (its folder has to be known first)


def describe(kind: str, rounds: Sequence[Round]) -> str:
    hit = [one for one in rounds if one.hit]
    new = sum(one.answered == "new" for one in hit)
    return (
        f"{kind:9} {len(rounds):4} rounds  {len(hit):4} hit at work  old answered {len(hit) - new:4}  "
        f"new {new:4}  reads meanwhile {sum(one.reads for one in rounds):6}  "
        f"embedded again at most {max(one.again for one in rounds):3}  "
        f"files at most {max(one.files for one in rounds):4}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    begun = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        bench = KillBench(Path(folder), seed=arguments.seed)
        rounds = [bench.kill(KINDS[number % len(KINDS)]) for number in range(arguments.rounds)]
        bench.close()
    for kind in KINDS:
        print(describe(kind, [one for one in rounds if one.kind == kind]))
    print(describe("all", rounds))
    print(f"files after the last round {rounds[-1].files}; {time.perf_counter() - begun:.0f} s")
    for check in CHECKS:
        print(f"checked after each round: {check}")


if __name__ == "__main__":
    main()
