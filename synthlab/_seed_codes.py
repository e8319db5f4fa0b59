"""Length of the shortest description of a seed, by codes for numbers that people choose.

Every code is a prefix code, or nearly one: it can describe at most a share 2**-t of all numbers in t bits less than
their length (inequality of Kraft). A random number of 128 bits is therefore described in fewer than 96 bits with a
probability of the order of 2**-32. The codes cover few distinct digits, repeated digits, patterns that repeat, digits
in steps, counting, calendar dates, powers with small changes, and products of small factors, such as factorials.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import pairwise

DIGITS = {2: 256, 8: 128, 10: 128, 16: 128}  # for each base, the number of lowest digits that are examined
PRIMES = [p for p in range(2, 100) if all(p % q for q in range(2, p))]
LARGEST = 2**4096  # larger numbers are not examined for powers
YEARS = (1900, 2100)
DATE_SHARES = (0.1, 0.5)  # prior share of dates among the parts of a number


def described_bits(numbers: Sequence[int]) -> float:
    """Return the length in bits of the shortest description of the numbers.

    The numbers, or their first or second differences, are described one by one; repeated ones are free.
    """
    found, series = math.inf, list(numbers)
    start = 0.0
    for _ in range(3):
        found = min(found, start + sum(map(_bits, {*series})))
        if len(series) < 3:
            break
        start += _bits(series[0])
        series = [abs(b - a) for a, b in pairwise(series)]
    return found


def _bits(number: int) -> float:
    """Return the length of the shortest description of one number."""
    plain = float(number.bit_length())
    if plain < 32:
        return plain
    found = [plain, _as_product(number)]
    if number < LARGEST:
        found += [_as_power(number)]
    for base, most in DIGITS.items():
        digits = _digits(number, base, most)
        steps = [digits[0], *((b - a) % base for a, b in pairwise(digits))]
        found += [_frequencies(digits, base), _frequencies(steps, base), _repetition(digits, base)]
        if base == 10:
            text = "".join(map(str, digits))
            found += [_counting(text), *(_dates(text, share) for share in DATE_SHARES)]
    return min(found)


def _digits(number: int, base: int, most: int) -> list[int]:
    """Return the lowest digits of a number, the highest first."""
    found: list[int] = []
    while number and len(found) < most:
        number, digit = divmod(number, base)
        found.append(digit)
    return found[::-1]


def _frequencies(digits: Iterable[int], base: int) -> float:
    """Return the bits of an adaptive code that expects digits that occurred before (Krichevsky and Trofimov, 1981)."""
    counts, bits = [0.5] * base, 0.0
    for place, digit in enumerate(digits):
        bits -= math.log2(counts[digit] / (place + base / 2))
        counts[digit] += 1
    return bits


def _repetition(digits: Sequence[int], base: int) -> float:
    """Return the bits of a code in which a digit is likely to equal the digit one period before."""
    best = math.inf
    for period in range(1, len(digits) // 2 + 1):
        bits, hits, misses = math.log2(len(digits)) + period * math.log2(base), 0.5, 0.5
        for before, digit in zip(digits, digits[period:], strict=False):
            if digit == before:
                bits -= math.log2(hits / (hits + misses))
                hits += 1
            else:
                bits -= math.log2(misses / (hits + misses) / (base - 1))
                misses += 1
        best = min(best, bits)
    return best


def _counting(text: str) -> float:
    """Return the bits of the code "count from a in steps of b", such as 8, 9, 10, 11 or 2001, 2003, 2005."""
    for first in range(1, len(text) // 3 + 1):
        for second in range(first, first + 2):
            start, step = int(text[:first]), int(text[first : first + second] or 0) - int(text[:first])
            made, number = "", start
            while len(made) < len(text) and number >= 0:
                made += str(number)
                number += step
            if made[: len(text)] == text:
                return math.log2(10) * (first + second) + math.log2(len(text))
    return math.inf


def _dates(text: str, share: float) -> float:
    """Return the bits of a text of dates in three formats, with other digits between them; `share` is that of dates."""
    days = (YEARS[1] - YEARS[0]) * 366
    date, digit = -math.log2(share / days / 3), -math.log2((1 - share) / 10)
    best = [0.0]
    for end in range(1, len(text) + 1):
        best.append(best[-1] + digit)
        if end >= 8 and _is_date(text[end - 8 : end]):
            best[end] = min(best[end], best[end - 8] + date)
    return best[-1]


def _is_date(text: str) -> bool:
    """Return whether eight digits are year, month and day, in one of three orders."""
    for year, month, day in (
        (text[:4], text[4:6], text[6:]),
        (text[4:], text[2:4], text[:2]),
        (text[4:], text[:2], text[2:4]),
    ):
        if YEARS[0] <= int(year) < YEARS[1] and 1 <= int(month) <= 12 and 1 <= int(day) <= 31:
            return True
    return False


def _as_power(number: int) -> float:
    """Return the bits of the description r**k + e or r**k - e with the shortest e."""
    best = math.inf
    for k in range(2, number.bit_length() + 1):
        root = _root(number, k)
        away = min(number - root**k, (root + 1) ** k - number)
        best = min(best, root.bit_length() + away.bit_length() + 2 * math.log2(k) + 7)
    return best


def _root(number: int, k: int) -> int:
    """Return the whole part of the k-th root (Newton's method)."""
    root = 1 << -(-number.bit_length() // k)
    while True:
        smaller = ((k - 1) * root + number // root ** (k - 1)) // k
        if smaller >= root:
            return root
        root = smaller


def _as_product(number: int) -> float:
    """Return the bits of the exponents of small prime factors and of the rest of the number."""
    bits = 0.0
    for prime in PRIMES:
        exponent = 0
        while number % prime == 0:
            number //= prime
            exponent += 1
        bits += math.log2(exponent + 1) * 2 + 0.5
    return bits + number.bit_length()
