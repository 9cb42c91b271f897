"""What the model libraries are told before they are imported."""

import os

# Read when the libraries are imported: they may open the folder and nothing else, and leave stderr alone.
_OFFLINE_AND_QUIET = {
    "HF_HUB_OFFLINE": "1",
    "HF_HUB_DISABLE_PROGRESS_BARS": "1",
    "TRANSFORMERS_VERBOSITY": "error",
}


def prepare_libraries() -> None:
    """Keeps sentence-transformers and what it imports from the network and from standard error."""
    os.environ.update(_OFFLINE_AND_QUIET)
