"""Tries things with an index as a process that may do little: `python index_attempts.py FOLDER TASK`.

TASK is JSON: `actions` of index, full, purge and search; `uid` of the user to become; `file_size`, the most
bytes that a file may grow to. Printed is JSON: for each action "ok" or the code of its error.
"""

import asyncio
import json
import os
import resource
import sys
from pathlib import Path

from workbench import Workbench

from chunking.errors import WikitrailError
from indexer.purge import purge_index
from retrieval.language import guess_language


async def attempt(bench: Workbench, action: str) -> str:
    """Returns what comes of an action."""
    try:
        if action == "purge":
            await purge_index(bench.uri)
        elif action == "search":
            await bench.search("zorbsteady", mode="lexical")
        else:
            await bench.run("full" if action == "full" else "incremental")
    except WikitrailError as error:
        return error.code
    return "ok"


def main() -> None:
    folder, words = sys.argv[1:]
    task = json.loads(words)
    bench = Workbench(Path(folder))
    guess_language("")  # its model comes out of a file that is larger than the limit
    if "file_size" in task:
        resource.setrlimit(resource.RLIMIT_FSIZE, (task["file_size"], resource.RLIM_INFINITY))
    if "uid" in task:
        # Another user may not be let in where modules lie that are imported late.
        asyncio.run(attempt(bench, "search"))
        os.setgid(task["uid"])
        os.setuid(task["uid"])
    print(json.dumps([asyncio.run(attempt(bench, action)) for action in task["actions"]]))


if __name__ == "__main__":
    main()
