"""The signs of token vectors, and late interaction over them."""

import numpy as np
import pytest

from retrieval.refinement.signs import encode_signs, measure_maxsim


def unit(rows: list[list[float]]) -> np.ndarray:
    matrix = np.array(rows, dtype=np.float32)
    scaled: np.ndarray = matrix / np.linalg.norm(matrix, axis=1, keepdims=True)
    return scaled


@pytest.mark.parametrize(("dimension", "size"), [(384, 48), (8, 1), (9, 2), (1, 1)])
def test_a_token_takes_a_bit_a_number_from_a_byte_on(dimension: int, size: int) -> None:
    tokens = np.ones((3, dimension), dtype=np.float32)
    assert len(encode_signs(tokens)) == 3 * size


def test_maxsim_is_the_mean_of_the_best_cosines_with_signs() -> None:
    query = unit([[1, 1, 1, -1], [3, 0, 0, 4]])
    codes = [encode_signs(unit([[5, 1, 2, -3], [-1, -1, -1, -1]])), encode_signs(unit([[1, 1, 1, 1]]))]
    # The first query token has 1 with (1, 1, 1, -1), the second, (.6, 0, 0, .8), has -.1 with it.
    assert measure_maxsim(query, codes) == pytest.approx([(1 - 0.1) / 2, (0.5 + 0.7) / 2])


@pytest.mark.parametrize("dimension", [384, 13])
def test_it_is_near_the_late_interaction_of_the_vectors(dimension: int) -> None:
    random = np.random.default_rng(5)
    query = unit(random.normal(size=(6, dimension)).tolist())
    near = [unit((query + 0.5 * random.normal(size=query.shape) / dimension**0.5).tolist()) for _ in range(3)]
    far = [unit(random.normal(size=(9, dimension)).tolist()) for _ in range(3)]
    similar = measure_maxsim(query, [encode_signs(tokens) for tokens in (*near, *far)])
    assert min(similar[:3]) > max(similar[3:])
    assert np.all((similar >= -1) & (similar <= 1))


def test_company_does_not_matter() -> None:
    random = np.random.default_rng(6)
    query = unit(random.normal(size=(4, 16)).tolist())
    codes = [encode_signs(random.normal(size=(size, 16))) for size in (1, 30, 2, 300)]
    alone = [float(measure_maxsim(query, [code])[0]) for code in codes]
    assert measure_maxsim(query, codes) == pytest.approx(alone, abs=1e-6)
