"""The places of indexes, looked at before anything is opened there."""

import os


def is_read_only(uri: str) -> bool:
    """Says whether the folder of an index is there and cannot be written; object storage is not asked."""
    return "://" not in uri and os.path.isdir(uri) and not os.access(uri, os.W_OK)
