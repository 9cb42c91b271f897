"""Looks for pages that break the laws of chunking: `python tests/measure/fuzz.py [--minutes 10] [CORPUS]`.

Raw bytes are decoded and parsed in all dialects; a coverage-guided fuzzer changes them. What breaks a law is
written to `crash-*` in the folder of the run, and printed. With `--replay FILE` one such file is checked.
CORPUS is a folder in which inputs are kept from run to run; each begins with those and a few of our own.

Needs atheris, which the development extra leaves out as it has wheels for few platforms:
`pip install atheris`.
"""

import argparse
import sys
import tempfile
from pathlib import Path

import atheris

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

with atheris.instrument_imports(include=["chunking", "markdown_it", "mdit_py_plugins"]):
    from page_laws import DIALECTS, check_bytes, check_line_ends, check_page

MAX_LENGTH = 4_096

SEEDS = (
    "---\ntitle: a\ntags: [b, c]\n---\n\n# H\n\ntext [[Page#H|name]] #tag ^id\n\n## I\n\n- a\n  - b\n",
    "+++\na.b = [1, 2]\n+++\nSetext\n===\n\n| a | b |\n|---|---|\n| c | `d` |\n\n> q\n> > r\n",
    "[a]: b 'c'\n\n[a] [x](y) ![z](<w>) <https://u.v> [^1]\n\n[^1]: note\n\n<!-- c -->\n\n<div>\n",
    "title:: a\r\ntags:: b\r\n\r\n- x\r\n  id:: 1\r\n\t- y\r\n\r\n1. z\r\r    code\r\r\\[[no]] **b**\r",
    "```py\n# no\n```\n\n%%\nc\n%%\n\n$$\nx\n$$\n$y$ ~~s~~ *i* &amp;\n",
    "# 部署\n\n本页说明 \U0001f469\u200d\U0001f467 e\u0301 \u2028 \x85 \x0b \x0c \0 \ufeff \u202e שלום\n",
)
DICTIONARY = (
    *("---\\x0a", "+++\\x0a", "# ", "## ", "===\\x0a", "> ", "- ", "1. ", "```", "~~~", "|---|", "[[", "]]"),
    *("](", "![", "[a]: ", "[^1]: ", "%%", "<!--", "-->", "<div>", "$$", "^id", "#tag", "::", "\\x0d\\x0a"),
    *("\\x0d", "\\x00", "\\xe2\\x80\\xa8", "\\xc2\\x85", "\\xff\\xfe", "\\xef\\xbb\\xbf", "\\x1b$B", "    "),
)


def check(raw: bytes) -> None:
    decoded = check_bytes(raw)
    if decoded:
        for dialect in DIALECTS:
            check_page(decoded.text, dialect)
        check_line_ends(decoded.text, "obsidian")


def write_seeds(folder: Path) -> None:
    for number, seed in enumerate(SEEDS):
        for encoding in ("utf-8", "utf-16", "gb18030"):
            (folder / f"{number}-{encoding}").write_bytes(seed.encode(encoding))


def write_dictionary(folder: Path) -> Path:
    file = folder / "dictionary"
    file.write_text("".join(f'"{entry}"\n' for entry in DICTIONARY))
    return file


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("corpus", nargs="?", type=Path, metavar="CORPUS")
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--replay", type=Path, metavar="FILE")
    options = parser.parse_args()
    if options.replay:
        check(options.replay.read_bytes())
        return
    with tempfile.TemporaryDirectory() as scratch:
        seeds = Path(scratch, "seeds")
        seeds.mkdir()
        write_seeds(seeds)
        folders = [str(folder) for folder in (options.corpus, seeds) if folder]
        flags = {
            "max_total_time": int(options.minutes * 60),
            "max_len": MAX_LENGTH,
            "timeout": 30,
            "dict": write_dictionary(Path(scratch)),
            "print_final_stats": 1,
        }
        atheris.Setup([sys.argv[0], *(f"-{name}={value}" for name, value in flags.items()), *folders], check)
        atheris.Fuzz()


if __name__ == "__main__":
    main()
