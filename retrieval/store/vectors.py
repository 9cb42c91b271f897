"""Vectors as they are in memory, and their way out of a column."""

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

Vector = NDArray[np.float32]
"""Shape (dimension,)."""


def to_matrix(column: pa.ChunkedArray) -> NDArray[np.float32]:
    """Returns a column of vectors with the shape (rows, dimension)."""
    flat = column.combine_chunks().flatten()
    return np.asarray(flat, dtype=np.float32).reshape(len(column), column.type.list_size)
