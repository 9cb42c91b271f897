"""Measures index runs over a generated wiki: `python tests/measure/runs.py PAGES`.

Printed are the seconds of a bare walk with stat, the first run, one without changes and one after one edit,
with a fake embedder, so that the model's own time is left out.
"""

import asyncio
import os
import sys
import tempfile
import time
from pathlib import Path

SUPPORT = Path(__file__).parents[1] / "support"
sys.path.insert(0, str(SUPPORT))

from workbench import Workbench  # noqa: E402  (the folder of the fakes has to be known first)


def walk(folder: Path) -> int:
    return sum(
        entry.stat(follow_symlinks=False).st_size > 0
        for path, _, _ in os.walk(folder)
        for entry in os.scandir(path)
        if entry.is_file()
    )


async def main() -> None:
    pages = int(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        bench = Workbench(Path(folder))
        for number in range(pages):
            text = f"# Page {number}\n\nThe body of page {number} links to [[p{number - 1}]].\n"
            bench.write(f"d{number % 50}/p{number}.md", text)
        time.sleep(3)  # fresh stamps prove nothing, and every page would be read again
        for name in ("first run", "no change", "no change", "one edit", "one edit"):
            if name == "one edit":
                bench.write("d7/p7.md", f"# Page 7\n\nEdited at {time.time_ns()}.\n")
            begun = time.perf_counter()
            walk(bench.root)
            walked = time.perf_counter()
            report = await bench.run()
            seconds = time.perf_counter() - walked
            print(f"{name:10} {seconds:6.2f} s   bare walk {walked - begun:5.2f} s   {dict(report.seconds)}")


if __name__ == "__main__":
    asyncio.run(main())
