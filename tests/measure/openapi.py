"""Tries many requests on a service: `python tests/measure/openapi.py FOLDER [EXAMPLES]`.

A copy of the folder is indexed with the packaged model and served as users would serve it. schemathesis
makes EXAMPLES requests and more for each route from the OpenAPI document, good and bad ones, and such as
follow from earlier answers. Printed is its own report.
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SUPPORT = Path(__file__).parents[1] / "support"
sys.path.insert(0, str(SUPPORT))

from served import PROGRAMS, TOKEN, run_schemathesis, serving  # noqa: E402  (the folder has to be known first)


def main() -> None:
    source, examples = Path(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else "500"
    with tempfile.TemporaryDirectory() as folder:
        root = Path(shutil.copytree(source, Path(folder, "wiki")))
        subprocess.run([PROGRAMS / "wikitrail", "index", root], check=False)
        with serving(root, WIKITRAIL_API_TOKEN=TOKEN) as service:
            result = run_schemathesis(service.address, "--max-examples", examples, "--seed", "1")
    print(result.stdout)
    sys.exit(result.returncode)


if __name__ == "__main__":
    main()
