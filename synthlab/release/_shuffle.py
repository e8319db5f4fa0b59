"""Order of a shuffled release, computed from a key that cannot be found by trial."""

from __future__ import annotations

import hashlib
import re
import secrets

import numpy as np

from synthlab._typing import IntArray
from synthlab.exceptions import InputError

LENGTH = 64  # hexadecimal characters of a fresh key: 256 bits


def check_key(key: str | None) -> str:
    """Return a key in lower case, or a new key for None; the message does not show it."""
    if key is None:
        return secrets.token_hex(LENGTH // 2)
    if not isinstance(key, str) or not re.fullmatch("[0-9a-fA-F]{32,}", key):
        length = f" of {len(key)} characters" if isinstance(key, str) else ""
        raise InputError(
            "key: must be a text of at least 32 hexadecimal characters, such as secrets.token_hex(), or None for a new key; "
            f"got {type(key).__name__}{length}"
        )
    return key.lower()


def permutation(key: str, number: int, n: int) -> IntArray:
    """Return the order of the n rows of dataset `number`.

    The rows are sorted by a keyed stream of 64 bits per row.
    """
    stream = hashlib.shake_256(f"synthlab shuffle, key {key}, dataset {number}".encode("ascii")).digest(8 * n)
    return np.argsort(np.frombuffer(stream, dtype="<u8"), kind="stable").astype(np.int64)


def inverse(key: str, number: int, n: int) -> IntArray:
    """Return the order that undoes `permutation`."""
    return np.argsort(permutation(key, number, n), kind="stable").astype(np.int64)
