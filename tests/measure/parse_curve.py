"""Measures decoding and parsing by size of the page: `python tests/measure/parse_curve.py [--sizes 1 2 5]`.

Each shape is a page made of one construct that is known to make parsers slow, or of real prose. Every
measurement runs in a process of its own. Printed are seconds of CPU and the peak of memory (MB, the
interpreter and the tokenizer included) for each size in MB, and the seconds a MB of the largest page takes
relative to those of the smallest: about 1 where time is linear.
"""

import argparse
import multiprocessing
import resource
import time
from collections.abc import Callable
from multiprocessing.queues import SimpleQueue
from typing import Final

from chunking import ChunkingOptions, decode, parse_page
from retrieval.embedding.minilm import load_minilm_counter

MB: Final = 1_000_000
_TIME_LIMIT: Final = 600

Shape = Callable[[int], bytes]
Answers = SimpleQueue[tuple[float, float]]


def repeat(unit: str, *, head: str = "", tail: str = "") -> Shape:
    """Returns a page of `size` bytes: the unit again and again between head and tail."""

    def write(size: int) -> bytes:
        raw = unit.encode()
        return head.encode() + raw * (size // len(raw)) + tail.encode()

    return write


def number(form: str, *, head: str = "", tail: str = "") -> Shape:
    """Returns a page of about `size` bytes: the form filled with 0, 1, 2, ... between head and tail."""

    def write(size: int) -> bytes:
        count = size // len(form.format(100_000).encode())
        return (head + "".join(form.format(index) for index in range(count)) + tail).encode()

    return write


def write_aliases(size: int) -> bytes:
    """Writes YAML in which each list holds the one before it nine times."""
    levels = size // 60
    lists = "".join(f"k{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, levels // 2))
    return f"---\nk0: &a0 [lol]\n{lists}---\n\n# Body\n".encode()


PROSE: Final = (
    "The service reads [[Page|its name]] from `settings`, and *restarts* when [it](a.md) changes.\n"
)

SHAPES: Final[dict[str, Shape]] = {
    "prose in paragraphs": repeat(f"{PROSE * 5}\n"),
    "prose in sections": number(f"## Part {{}}\n\n{PROSE * 5}\n"),
    "prose with CRLF": repeat(f"{PROSE * 5}\n".replace("\n", "\r\n")),
    "a line of words": repeat("word "),
    "a line without blanks": repeat("x"),
    "lines of one letter": repeat("a\n"),
    "paragraphs of one letter": repeat("a\n\n"),
    "blank lines": repeat("\n", tail="end\n"),
    "CJK": repeat("本页说明如何部署服务，以及失败时如何回滚。"),
    "emoji with joiners": repeat("\U0001f469\u200d\U0001f469\u200d\U0001f467"),
    "combining marks": repeat("\u0301", head="a"),
    "deep quotes": repeat(">" * 500 + " a\n"),
    "lazy lines of deep quotes": repeat("a\n", head=">" * 500 + " a\n"),
    "deep lists": repeat("".join("  " * depth + "- a\n" for depth in range(80))),
    "flat list": repeat("- a\n"),
    "list of math openers": repeat("- $$ a\n"),
    "list of comment openers": repeat("- %% a\n"),
    "list of fences": repeat("- ```\n"),
    "table": repeat("| a | b |\n", head="| a | b |\n|---|---|\n"),
    "wide table": repeat("a|", head="", tail="\n" + "-|" * 1000 + "\n"),
    "one-line headings": repeat("# a\n"),
    "equal headings with text": repeat("# a\n\ntext\n\n"),
    "a long heading": repeat("word ", head="# "),
    "a long heading over text": lambda size: (
        b"# " + b"word " * (size // 10) + b"\n" + b"text\n" * (size // 10)
    ),
    "a setext heading of lines": repeat("word\n", tail="---\n"),
    "link definitions": number("[name {0}]: page{0}.md\n"),
    "equal link definitions": repeat("[a]: b\n"),
    "definition used often": repeat("[a] ", head="[a]: " + "x" * 1000 + "\n\n"),
    "unclosed definitions": repeat("[a\n"),
    "wikilinks": repeat("[[a]] "),
    "wikilink openers": repeat("[[a "),
    "open brackets": repeat("["),
    "open brackets before a closing one": repeat("[", tail="]"),
    "pairs of brackets": repeat("[a](b "),
    "nested brackets": lambda size: b"[" * (size // 2) + b"a" + b"]" * (size // 2),
    "images in images": repeat("![" * 40 + "a" + "](b)" * 40 + " "),
    "image openers": repeat("!["),
    "image openers before a closing bracket": repeat("![", tail="]"),
    "stars": repeat("*"),
    "stars and underscores": repeat("*a_"),
    "backticks": repeat("`"),
    "backtick runs of all lengths": lambda size: b"".join(
        b"a" + b"`" * (1 + n % 1000) for n in range(size // 500)
    ),
    "less-than signs": repeat("<"),
    "tag openers": repeat("<a b='"),
    "comment openers in a line": repeat("a <!-- ", tail="--->"),
    "comment openers": repeat("<!--\n"),
    "declaration openers": repeat("a <!a "),
    "processing openers": repeat("a <? "),
    "dollars": repeat("$"),
    "escaped dollars": repeat("\\$", head="$a"),
    "ampersands": repeat("&"),
    "backslashes": repeat("\\"),
    "tildes": repeat("~~a"),
    "percent signs": repeat("%"),
    "Obsidian comment openers": repeat("%% a\n\n"),
    "tags": number("#tag{} "),
    "block names": repeat("a ^b\n\n"),
    "long fence": repeat("value = compute(1, 2, 3)\n", head="```py\n", tail="```\n"),
    "fences": repeat("```\na\n```\n"),
    "html blocks": repeat("<div>\n\n"),
    "YAML of many keys": number("key{}: value\n", head="---\n", tail="---\n"),
    "YAML with one long value": repeat("word ", head="---\ntitle: ", tail="\n---\n# a\n# b\n"),
    "YAML nested": lambda size: b"---\na: " + b"[" * size + b"\n---\n",
    "YAML aliases": write_aliases,
    "YAML without an end": repeat("key: value\n", head="---\n"),
    "TOML of many keys": number("key{} = 1\n", head="+++\n", tail="+++\n"),
    "TOML with a long key": repeat("a.", head="+++\n", tail="a = 1\n+++\n"),
    "Latin-1": lambda size: "Übung für größere Häuser, ähnlich und schön.\n".encode("latin-1") * (size // 46),
    "UTF-16": lambda size: ("\ufeff" + PROSE * (size // len(PROSE) // 2)).encode("utf-16-le"),
    "damaged UTF-8": lambda size: ("Übung für größere Häuser. " * 9).encode() * (size // 270) + b"\xe2\x82\n",
}


def measure(shape: str, size: int, memory: int, answers: Answers) -> None:
    """Parses one page in this process, which may take `memory` MB, and puts seconds and peak MB."""
    resource.setrlimit(resource.RLIMIT_AS, (memory * MB, memory * MB))
    raw, counter = SHAPES[shape](size), load_minilm_counter()
    begun = time.process_time()
    parse_page("page.md", decode(raw).text, options=ChunkingOptions(), counter=counter)
    seconds = time.process_time() - begun
    answers.put((seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024))


def run_apart(shape: str, size: int, memory: int) -> tuple[float, float] | None:
    """Measures in a child; None if it ran out of time or memory."""
    context = multiprocessing.get_context("spawn")
    answers: Answers = context.SimpleQueue()
    child = context.Process(target=measure, args=(shape, size, memory, answers))
    child.start()
    child.join(_TIME_LIMIT)
    if child.is_alive():
        child.kill()
        child.join()
    return None if answers.empty() else answers.get()


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sizes", type=float, nargs="+", default=[1, 2, 5, 10, 20], metavar="MB")
    parser.add_argument(
        "--only", nargs="+", default=[""], metavar="NAME", help="shapes whose names hold this"
    )
    parser.add_argument("--memory", type=int, default=12_000, help="limit of a process in MB")
    options = parser.parse_args()
    print(f"{'shape':40}" + "".join(f"{size:>8g} MB     " for size in options.sizes) + " ratio")
    for shape in SHAPES:
        if not any(name in shape for name in options.only):
            continue
        cells, per_mb = [], []
        for size in options.sizes:
            answer = run_apart(shape, int(size * MB), options.memory)
            cells.append(f"{answer[0]:7.2f} s{answer[1]:6.0f}" if answer else "         failed")
            per_mb.append(answer[0] / size if answer else float("nan"))
            if not answer:
                break
        print(f"{shape:40}{' '.join(cells)}  {per_mb[-1] / per_mb[0]:5.2f}", flush=True)


if __name__ == "__main__":
    main()
