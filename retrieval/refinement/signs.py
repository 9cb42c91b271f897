"""Token vectors as the signs of their numbers, and the late interaction of a query with them.

    MaxSim(query, passage) = mean over the query's tokens of the largest cosine with any token of the passage

after Khattab and Zaharia, ColBERT (SIGIR 2020). Of a passage's tokens one bit a number is kept, of the
query's all: the cosine with a vector of signs stands for the cosine with the vector itself.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from retrieval.embedding.port import Vectors

CODE = "signs-1"
"""Names the form of the codes; with another one they are made anew."""


def encode_signs(tokens: Vectors) -> bytes:
    """Returns the code of a text from the vectors of its tokens, shape (tokens, dimension).

    Each token begins at a byte: 48 bytes for 384 numbers.
    """
    return np.packbits(tokens >= 0, axis=1).tobytes()


def measure_maxsim(query: Vectors, codes: Sequence[bytes]) -> npt.NDArray[np.float32]:
    """Returns the MaxSim of a query with each code, from -1 to 1.

    `query` has the vectors of its tokens, each of length 1. A code holds one such token at least.
    """
    dimension = query.shape[1]
    width = -(-dimension // 8)
    starts = np.cumsum([0, *(len(code) // width for code in codes[:-1])])
    packed = np.frombuffer(b"".join(codes), dtype=np.uint8).reshape(-1, width)
    bits = np.unpackbits(packed, axis=1, count=dimension).astype(np.float32)
    # For signs s = 2 b - 1 the product q s is 2 q b - sum of q; the length of s is the root of its dimension.
    products = (2 * query @ bits.T - query.sum(axis=1, keepdims=True)) / np.sqrt(np.float32(dimension))
    similar: npt.NDArray[np.float32] = np.maximum.reduceat(products, starts, axis=1).mean(axis=0)
    return similar
