"""Random numbers of R's default generators, for a given seed.

The slides state the seeds of R. With the same uniform numbers, the normal and Laplace noise of a slide can be computed
again, so that a number that depends on the noise can be compared exactly.
"""

from __future__ import annotations

import numpy as np
from scipy.special import ndtri

from synthlab._typing import FloatArray

MULTIPLIER, WORDS = 69_069, 624
STEP = 2.3283064365386963e-10  # of the uniform numbers: about 2^-32
SMALLEST = 0.5 * 2.328306437080797e-10  # distance from 0 and 1 that R keeps
BIG = 134_217_728  # 2^27


def uniform(seed: int, n: int) -> FloatArray:
    """Return what ``set.seed(seed); runif(n)`` returns in R (Mersenne Twister).

    Examples
    --------
    >>> from replications.hu_course.r_random import uniform
    >>> uniform(123, 3).round(7).tolist()
    [0.2875775, 0.7883051, 0.4089769]
    """
    value, words = seed, []
    for step in range(51 + WORDS):
        value = (MULTIPLIER * value + 1) % 2**32
        if step > 50:  # R discards 50 numbers, and replaces the next one by the position in the table
            words.append(value)
    generator = np.random.MT19937()
    generator.state = {
        "bit_generator": "MT19937",
        "state": {"key": np.array(words, dtype=np.uint32), "pos": WORDS},
    }
    return np.clip(generator.random_raw(n) * STEP, SMALLEST, 1 - SMALLEST)


def normal(seed: int, n: int) -> FloatArray:
    """Return what ``set.seed(seed); rnorm(n)`` returns in R (inversion).

    Examples
    --------
    >>> from replications.hu_course.r_random import normal
    >>> normal(123, 2).round(7).tolist()
    [-0.5604756, -0.2301775]
    """
    pairs = uniform(seed, 2 * n).reshape(n, 2)
    return np.asarray(ndtri((np.floor(BIG * pairs[:, 0]) + pairs[:, 1]) / BIG), dtype=np.float64)


def laplace(seed: int, n: int, scale: float) -> FloatArray:
    """Return the noise of ``set.seed(seed); rmutil::rlaplace(n, 0, scale)`` in R.

    Examples
    --------
    >>> from replications.hu_course.r_random import laplace
    >>> (337 + laplace(123, 1, 10.0)).round().tolist()
    [331.0]
    """
    u = uniform(seed, n)
    return np.where(u < 0.5, np.log(2 * u), -np.log(2 * (1 - u))) * scale
