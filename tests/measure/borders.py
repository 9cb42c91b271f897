"""Measures how many chunks an edit gives anew: `python tests/measure/borders.py FOLDER [EDITS]`.

For pages of FOLDER with three chunks or more, one random paragraph is edited and the page chunked again.
Printed is the share of edits after which one, two or more embedded texts are new, by kind of edit.
"""

import random
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from chunking import ChunkingOptions, UndecodablePage, decode, parse_page
from retrieval.embedding.minilm import load_minilm_counter

Edit = Callable[[str], str]

EDITS: dict[str, Edit] = {
    "change a word": lambda text: text[: len(text) // 2] + " changed" + text[len(text) // 2 :],
    "append a sentence": lambda text: text + " And one sentence more stands here.",
    "insert a paragraph": lambda text: text + "\n\nA paragraph of its own, which was not here before.",
    "delete a half": lambda text: text[: len(text) // 2],
}


def read_pages(folder: Path) -> list[str]:
    texts = []
    for path in sorted(folder.rglob("*.md")):
        try:
            texts.append(decode(path.read_bytes()).text)
        except UndecodablePage:
            continue
    return texts


def main() -> None:
    folder, edits = Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1_000
    counter, chance = load_minilm_counter(), random.Random(1)

    def embedded(text: str) -> set[str]:
        page = parse_page("page.md", text, options=ChunkingOptions(), counter=counter)
        return {chunk.embedded_text for chunk in page.chunks}

    pages = [(text, texts) for text in read_pages(folder) if len(texts := embedded(text)) >= 3]
    print(f"{len(pages)} pages with 3 chunks or more, {edits} edits of each kind")
    for name, edit in EDITS.items():
        new: Counter[int] = Counter()
        for _ in range(edits):
            text, before = chance.choice(pages)
            blocks = text.split("\n\n")
            paragraphs = [number for number, block in enumerate(blocks) if block[:1].isalpha()]
            if not paragraphs:
                continue
            chosen = chance.choice(paragraphs)
            blocks[chosen] = edit(blocks[chosen])
            new[min(len(embedded("\n\n".join(blocks)) - before), 3)] += 1
        shares = (
            f"{label} {new[count] / new.total():6.1%}"
            for count, label in enumerate(("0:", "1:", "2:", "3+:"))
        )
        print(f"{name:20} {'  '.join(shares)}")


if __name__ == "__main__":
    main()
