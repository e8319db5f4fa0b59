"""Random number generators: one spawned stream per synthetic dataset.

The streams are spawned from the seed sequence, so the stream of dataset l does not depend on m: the first 5 datasets of
a release with m = 20 equal the release with m = 5.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from typing import Any

import numpy as np

from synthlab import _checks
from synthlab._seed_codes import described_bits
from synthlab._typing import RngLike
from synthlab.exceptions import InputError

ENOUGH = 96  # bits of the shortest description of a seed that is not guessed
SAFE: int = 2**ENOUGH  # smaller seeds can be found by trial: one core tries 10**6 small seeds in minutes


def as_generator(rng: RngLike, name: str = "rng") -> np.random.Generator:
    """Return a Generator for a seed or Generator, without changing global state."""
    if isinstance(rng, bool) or not (
        rng is None or isinstance(rng, int | np.integer | np.random.Generator | np.random.SeedSequence)
    ):
        raise InputError(f"{name}={_checks.shown(rng)}: give an int >= 0, a numpy.random.Generator, or None")
    if isinstance(rng, int | np.integer) and rng < 0:
        raise InputError(f"{name}={rng!r}: a seed must be >= 0")
    return np.random.default_rng(rng)


def spawn(rng: RngLike, n: int, name: str = "rng") -> list[np.random.Generator]:
    """Return `n` independent streams; stream l does not depend on `n`."""
    try:
        return as_generator(rng, name).spawn(n)
    except TypeError:  # a bit generator without a seed sequence, such as that of a RandomState
        raise InputError(
            f"{name}: this Generator has no seed sequence to spawn streams from; make it with numpy.random.default_rng"
        ) from None


def spawn_for_release(rng: RngLike, n: int) -> tuple[list[np.random.Generator], Any]:
    """Return `n` independent streams, and the seed that reproduces them.

    The seed can be written as JSON. If `rng` is None, the seed is a fresh key. The seed of a Generator or SeedSequence
    is described by the arguments of its SeedSequence, or None if they are not known.
    """
    rng = fresh_key() if rng is None else rng
    generator = as_generator(rng)
    seed = int(rng) if isinstance(rng, int | np.integer) else _described(generator.bit_generator.seed_seq)
    return spawn(generator, n), seed


def fresh_key(seed: int | None = None) -> int:
    """Return a seed with 128 fresh random bits, which cannot be found by trial.

    A given `seed` becomes the higher bits.
    """
    as_generator(seed, "seed")
    return (seed or 0) * 2**128 + SAFE + secrets.randbelow(2**128 - SAFE)


def seed_from(described: object) -> RngLike:
    """Return the `rng` for a seed that `spawn_for_release` returned."""
    if isinstance(described, int) and not isinstance(described, bool):
        return described
    if isinstance(described, Mapping) and described.get("entropy") is not None:
        return np.random.SeedSequence(**described)
    raise InputError("seed: is not known, so the release cannot be reproduced")


def is_safe(described: object) -> bool:
    """Return whether a seed is known, and too long and too irregular to be guessed.

    A number must be at least 2**96, and none of the codes of `_seed_codes` may describe it in fewer than 96 bits. For
    a sequence, the bits of all distinct numbers are added. The spawn key of a SeedSequence is not counted, because it
    is a position, not a secret.
    """
    if isinstance(described, Mapping):
        described = described.get("entropy")
    given: list[Any] = list(described) if isinstance(described, list | tuple) else [described]
    if any(isinstance(n, bool) or not isinstance(n, int | np.integer) or n < 0 for n in given):
        return False
    numbers = [int(n) for n in given]
    return sum(n.bit_length() for n in {*numbers}) >= SAFE.bit_length() and described_bits(numbers) >= ENOUGH


def _described(sequence: object) -> dict[str, Any] | None:
    """Return the arguments of a SeedSequence, or None for other objects."""
    if type(sequence) is not np.random.SeedSequence:
        return None
    entropy: Any = sequence.entropy
    return {
        "entropy": int(entropy) if isinstance(entropy, int | np.integer) else _flat(entropy),
        "spawn_key": [int(k) for k in sequence.spawn_key],
        "n_children_spawned": int(sequence.n_children_spawned),
    }


def _flat(entropy: Any) -> list[int]:
    return [int(n) for part in entropy for n in ([part] if isinstance(part, int | np.integer) else _flat(part))]


def integer_seed(rng: np.random.Generator) -> int:
    """Draw a 31-bit seed for a library that takes only whole numbers."""
    return int(rng.integers(0, 2**31 - 1))
