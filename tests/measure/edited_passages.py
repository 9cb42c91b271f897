"""Measures how far the vector of a passage goes when a part of its words is replaced.

    python tests/measure/edited_passages.py service/sample_wiki

Each passage of a folder has a run of its words replaced by words of another one. Printed by share replaced:
the median likeness (the lesser of the two shares that repair asks for), the cosine to the passage as it was,
and how often the passage as it was is the nearest of all.
"""

import argparse
from pathlib import Path
from random import Random

import numpy as np

from chunking import ChunkingOptions, parse_page
from retrieval.embedding.minilm import load_minilm
from retrieval.repair.likeness import compare_texts

_SHARES = (0.1, 0.25, 0.4, 0.5, 0.6, 0.75, 0.9)
_LEAST_LENGTH = 150


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    embedder, random = load_minilm(), Random(3)
    passages = read_passages(parser.parse_args().folder)
    before = embedder.embed(passages, "chunk")
    print(f"{len(passages)} passages of {_LEAST_LENGTH} characters or more")
    print("replaced  likeness  cosine  nearest is itself")
    for share in _SHARES:
        edited = [replace_words(text, random.choice(passages), share, random) for text in passages]
        after = embedder.embed(edited, "chunk")
        pairs = [compare_texts(old, new) for old, new in zip(passages, edited, strict=True)]
        likeness = np.median([min(pair.kept, pair.own) for pair in pairs])
        own = np.mean((after @ before.T).argmax(axis=1) == np.arange(len(passages)))
        print(f"{share:8.2f}  {likeness:8.2f}  {np.median((after * before).sum(axis=1)):6.3f}  {own:17.2f}")


def read_passages(folder: Path) -> list[str]:
    counter = load_minilm().counter
    pages = [
        parse_page(path.name, path.read_text(encoding="utf-8"), options=ChunkingOptions(), counter=counter)
        for path in sorted(folder.rglob("*.md"))
    ]
    # The packaged model reads English.
    return [
        chunk.text
        for page in pages
        for chunk in page.chunks
        if len(chunk.text) >= _LEAST_LENGTH and sum(map(str.isascii, chunk.text)) > 0.9 * len(chunk.text)
    ]


def replace_words(text: str, other: str, share: float, random: Random) -> str:
    words, others = text.split(" "), other.split(" ")
    count = int(len(words) * share)
    start = random.randrange(max(1, len(words) - count))
    repeated = others * (1 + count // len(others))
    return " ".join([*words[:start], *repeated[:count], *words[start + count :]])


if __name__ == "__main__":
    main()
