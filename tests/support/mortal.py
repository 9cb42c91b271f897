"""A wiki of many passages, and an embedder that dies while it embeds them."""

from collections.abc import Sequence

from fakes import FakeEmbedder

from retrieval.embedding.port import EmbeddingRole, Vectors

PARTS = 10
WIKI = {
    f"page{number}.md": f"# Page {number}\n\n"
    + "\n".join(f"## Part {part}\n\nSection {part} of page {number}.\n" for part in range(PARTS))
    for number in range(20)
}


class Killed(Exception):
    """Stands for the end of the process."""


class MortalEmbedder(FakeEmbedder):
    """Ends the process, as far as a run can tell, after so many texts."""

    lives = 10**9

    def embed(self, texts: Sequence[str], role: EmbeddingRole) -> Vectors:
        if len(self.embedded) >= self.lives:
            raise Killed
        return super().embed(texts, role)
