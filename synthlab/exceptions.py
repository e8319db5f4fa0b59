"""Errors and warnings, each with a name a reader can search for.

Every error of the package derives from `SynthlabError`; bad input raises `InputError`,
which is also a `ValueError`. Every warning derives from `SynthlabWarning`, so that
``warnings.simplefilter("error", synthlab.exceptions.SynthlabWarning)`` makes a script strict.

In several threads, read the warnings of `evaluate` from its result: before Python 3.14, other libraries, pandas among them,
change the filters of the whole process for moments, and a warning that is only issued can get lost.
"""

from __future__ import annotations


class SynthlabError(Exception):
    """Base class of every error raised by synthlab.

    Examples
    --------
    >>> import synthlab as sl
    >>> try:
    ...     sl.datasets.load("no such survey")
    ... except sl.exceptions.SynthlabError as error:
    ...     print(type(error).__name__)
    InputError
    """


class InputError(SynthlabError, ValueError):
    """An argument is not what the function can work with; the message names it and what is allowed."""


class RowAlignmentError(InputError):
    """Row i of the synthetic data cannot be taken to be about person i of the confidential data."""


class DtypeMismatchError(InputError):
    """A column holds one kind of value in the confidential data and another in the synthetic data."""


class MissingValueError(InputError):
    """A column holds missing values and the caller did not say what they mean."""


class FitError(SynthlabError):
    """A model cannot be fitted to these data; the message says which variable is to blame."""


class DatasetUnavailableError(SynthlabError):
    """A dataset is not on this machine; the message says how to get it."""


class ChecksumError(SynthlabError):
    """A file is not the file it should be: its SHA-256 differs."""


class RUnavailableError(SynthlabError):
    """R, rpy2 or an R package is missing; the message holds the command that fixes it."""


class BudgetExceededError(SynthlabError):
    """A query asks for more privacy loss than the budget has left; nothing was answered and nothing was charged."""


class BudgetCopyError(SynthlabError, TypeError):
    """A privacy budget is copied, pickled, or spent in a process other than its own; nothing was charged."""


class ExtraUnavailableError(SynthlabError, ImportError):
    """An optional library is missing; the message holds the command that installs it."""


class SynthlabWarning(UserWarning):
    """Base class of every warning issued by synthlab.

    Examples
    --------
    >>> import warnings
    >>> import synthlab as sl
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("error", sl.exceptions.SynthlabWarning)  # a warning stops the script
    ...     survey = sl.datasets.load("affairs")
    """


class NoUniqueMatchWarning(SynthlabWarning):
    """No target has exactly one match, so the false match rate is 0/0 and reported as NaN."""


class KnownVariableChangedWarning(SynthlabWarning):
    """A variable declared known (unsynthesized) differs between confidential and synthetic rows."""


class RowOrderWarning(KnownVariableChangedWarning):
    """Known variables differ in so many rows that row i of the release is not about record i."""


class SingletonPatternWarning(SynthlabWarning):
    """A record is alone in its pattern: the formula gives it the lowest risk although it is the most exposed."""


class NoBetterThanBaselineWarning(SynthlabWarning):
    """An attack does no better than its baseline, so its number says nothing about the release."""


class ConvergenceWarning(SynthlabWarning):
    """A chain has not converged, or diverged, by the usual diagnostics."""


class ApproximationWarning(SynthlabWarning):
    """A posterior was approximated, and the approximation is visibly off for a part of it."""


class SeparationWarning(SynthlabWarning):
    """A classifier separates the classes perfectly, so its coefficients are not finite."""


class UndefinedStatisticWarning(SynthlabWarning):
    """A statistic is undefined on these data and reported as NaN."""


class FewDegreesOfFreedomWarning(SynthlabWarning):
    """Combined estimate with fewer than 2 degrees of freedom.

    The combined variance is then hardly known. The interval is very wide and, below 1 degree of freedom, NaN.
    """


class StandInDataWarning(SynthlabWarning):
    """The real data are not on this machine; a simulated stand-in was loaded in their place."""


class PseudocountWarning(SynthlabWarning):
    """A pseudocount on the zero cells does not do what it is for: next to none of them becomes a non-zero."""


class SmallPatternWarning(SynthlabWarning):
    """A pattern has no more records than the order of the weights, so its weights say nothing of risk."""


class TruncationWarning(SynthlabWarning):
    """A mixture used all the components it was given, so the truncation of its prior shows in the fit."""


class LowEffectiveSampleSizeWarning(SynthlabWarning):
    """Importance weights rest on a few posterior draws, so what they estimate is noise."""


class TermsLeftOutWarning(SynthlabWarning):
    """A measure does not see a part of what it was asked about: variables or products are left out of its model."""


class RareValueWarning(SynthlabWarning):
    """A release repeats values that very few confidential records hold."""


class ReleasedUnchangedWarning(SynthlabWarning):
    """A variable that is called synthesized is released as it is, or another one that is released tells it."""


class ColumnTypeWarning(SynthlabWarning):
    """A column of a file has another type, or other labels, than a look at it suggests; the message says how to mend it."""


class IncompleteLastLineWarning(SynthlabWarning):
    """The last line of a CSV file has no line end, so its last value might be cut off."""


class NumberPrecisionWarning(SynthlabWarning):
    """Numbers of a file have more digits, or are larger, than a 64-bit number can represent."""


class SmallWeightsWarning(SynthlabWarning):
    """The survey weights of some people add up to fewer people than are in the file, which no population has."""


class DesignVariableWarning(SynthlabWarning):
    """A variable of the survey design is synthesized, so the released weights no longer fit the released design."""
