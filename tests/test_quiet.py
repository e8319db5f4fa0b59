"""Warnings of the package are silenced, others are not."""

import warnings

import pytest

from synthlab._quiet import quiet
from synthlab.exceptions import PseudocountWarning, UndefinedStatisticWarning


def test_quiet_silences_the_warnings_of_the_package_and_no_others():
    with quiet():
        warnings.warn("known", PseudocountWarning, stacklevel=1)
    with pytest.warns(RuntimeWarning, match="unknown"), quiet():
        warnings.warn("unknown", RuntimeWarning, stacklevel=1)


def test_quiet_silences_only_the_kinds_it_is_given():
    with quiet(PseudocountWarning):
        warnings.warn("known", PseudocountWarning, stacklevel=1)
    with pytest.warns(UndefinedStatisticWarning), quiet(PseudocountWarning):
        warnings.warn("undefined", UndefinedStatisticWarning, stacklevel=1)
