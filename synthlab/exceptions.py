"""Error and warning classes.

All errors of the package derive from `SynthlabError`. Bad input raises `InputError`, which is also a `ValueError`. All
warnings derive from `SynthlabWarning`, so that ``warnings.simplefilter("error", synthlab.exceptions.SynthlabWarning)`` turns
them into errors.

In multithreaded programs, read the warnings of `evaluate` from its result. Before Python 3.14, libraries such as pandas
temporarily change the warning filters of the whole process, so that an issued warning can get lost.
"""

from __future__ import annotations


class SynthlabError(Exception):
    """Base class of all errors raised by synthlab.

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
    """An argument has a wrong type or value; the message names it and what is allowed."""


class RowAlignmentError(InputError):
    """Row i of the synthetic data might not belong to record i of the confidential data."""


class DtypeMismatchError(InputError):
    """A column has different types of values in the confidential and the synthetic data."""


class MissingValueError(InputError):
    """A column has missing values, and the caller did not specify their meaning."""


class NotFittedError(InputError, AttributeError):
    """A model was used like a fit; call its method `fit` and use the result."""


class FitError(SynthlabError):
    """A model cannot be fitted to these data; the message names the variable."""


class DatasetUnavailableError(SynthlabError):
    """A dataset is not on this machine; the message states how to obtain it."""


class ChecksumError(SynthlabError):
    """The SHA-256 checksum of a file differs from the expected checksum."""


class RUnavailableError(SynthlabError):
    """R, rpy2 or an R package is missing; the message contains the installation command."""


class BudgetExceededError(SynthlabError):
    """A query exceeds the remaining privacy budget; it was neither answered nor charged."""


class BudgetCopyError(SynthlabError, TypeError):
    """A privacy budget was copied, pickled or used in another process; no epsilon was spent."""


class ExtraUnavailableError(SynthlabError, ImportError):
    """An optional library is missing; the message contains the installation command."""


class SynthlabWarning(UserWarning):
    """Base class of all warnings issued by synthlab.

    Examples
    --------
    >>> import warnings
    >>> import synthlab as sl
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("error", sl.exceptions.SynthlabWarning)  # a warning stops the script
    ...     survey = sl.datasets.load("affairs")
    """


class NoUniqueMatchWarning(SynthlabWarning):
    """No target has exactly one match, so the false match rate is undefined (NaN)."""


class KnownVariableChangedWarning(SynthlabWarning):
    """A known (unsynthesized) variable differs between confidential and synthetic rows."""


class RowOrderWarning(KnownVariableChangedWarning):
    """Known variables differ in so many rows that row i does not belong to record i."""


class SingletonPatternWarning(SynthlabWarning):
    """A record is alone in its pattern; its formula risk is lowest, its exposure highest."""


class NoBetterThanBaselineWarning(SynthlabWarning):
    """An attack is not better than its baseline, so it shows no risk from the release."""


class ConvergenceWarning(SynthlabWarning):
    """An iterative algorithm or a Markov chain has not converged, or has divergences."""


class ApproximationWarning(SynthlabWarning):
    """The approximation of a posterior is inaccurate for a part of the posterior."""


class SeparationWarning(SynthlabWarning):
    """A classifier separates the classes perfectly, so its coefficients are not finite."""


class UndefinedStatisticWarning(SynthlabWarning):
    """A statistic is undefined for these data and returned as NaN."""


class UndefinedIntervalWarning(UndefinedStatisticWarning):
    """A combined variance and its interval are undefined and NaN; the message gives the reason."""


class FewDegreesOfFreedomWarning(SynthlabWarning):
    """Combined estimate with fewer than 2 degrees of freedom.

    The combined variance is then very uncertain. The interval is very wide and, below 1 degree of freedom, NaN.
    """


class StandInDataWarning(SynthlabWarning):
    """The real data are not on this machine; simulated data were loaded instead."""


class PseudocountWarning(SynthlabWarning):
    """A pseudocount on zero cells is ineffective: almost no zero cell becomes nonzero."""


class SmallPatternWarning(SynthlabWarning):
    """A pattern is not larger than the order, so its weights carry no information about risk."""


class TruncationWarning(SynthlabWarning):
    """A mixture used all its components, so the truncation of its prior affects the fit."""


class LowEffectiveSampleSizeWarning(SynthlabWarning):
    """The effective number of posterior draws is small, so importance estimates are noise."""


class TermsLeftOutWarning(SynthlabWarning):
    """A measure omits variables or products of variables from its model."""


class RareValueWarning(SynthlabWarning):
    """A release repeats values that occur in very few confidential records."""


class RepeatedIdentifierWarning(SynthlabWarning):
    """Persons or households have several records, which are synthesized independently."""


class MissingUnitWarning(SynthlabWarning):
    """Records have no unit number, so each of them is a unit of its own."""


class ComputedByRecordWarning(SynthlabWarning):
    """An intruder has a `unit`, but the measure treats each record as a person."""


class UnitRuleWarning(SynthlabWarning):
    """Synthetic units break a rule that the units of the file satisfy."""


class ReleasedUnchangedWarning(SynthlabWarning):
    """A variable declared synthesized is released unchanged or determined by a released variable."""


class RelationWarning(SynthlabWarning):
    """A relation between columns is not preserved, or it does not hold in all confidential records."""


class ColumnTypeWarning(SynthlabWarning):
    """A column has other types or labels than it appears to have; the message states a fix."""


class UndeclaredCodeWarning(SynthlabWarning):
    """A value such as -9 or 999998 looks like a code of missing values, but is not declared."""


class MissingKindWarning(SynthlabWarning):
    """Codes that a file declares missing, such as -8 and -9, become one kind of missing value."""


class IncompleteLastLineWarning(SynthlabWarning):
    """The last line of a CSV file has no line ending, so its last value might be incomplete."""


class NumberPrecisionWarning(SynthlabWarning):
    """Numbers in a file have more digits or are larger than a 64-bit number can represent."""


class FormatLimitWarning(SynthlabWarning):
    """A file format cannot hold a part of a column; the message names the column and the part."""


class ShuffleKeyNotSavedWarning(SynthlabWarning):
    """A release was saved with shuffled rows and without the key that restores their order."""


class WideRadiusWarning(SynthlabWarning):
    """A relative radius above 1 matches positive and negative values, and was probably meant in units of the variable."""


class FitsInMemoryWarning(SynthlabWarning):
    """Files passed to `synthlab.scale` fit in memory, where the function of the same name needs less work."""


class SmallWeightsWarning(SynthlabWarning):
    """Survey weights of a cell sum to fewer people than the file contains."""


class UnequalWeightsWarning(SynthlabWarning):
    """Survey weights are unequal, but the method assumes a simple random sample."""


class DesignVariableWarning(SynthlabWarning):
    """A survey design variable is synthesized, so weights and design no longer agree."""
