"""A deprecated function works, and its warning names the replacement and the version of the removal."""

from __future__ import annotations

import warnings

import pytest

from synthlab._deprecation import SynthlabDeprecationWarning, deprecated
from synthlab.exceptions import SynthlabWarning


@deprecated("new", removal="0.3.0")
def old(x: int, y: int = 1) -> int:
    """Return a sum."""
    return x + y


@deprecated("z", removal="1.0.0", argument="y")
def half_old(x: int, y: int = 1, z: int = 0) -> int:
    return x + y + z


def test_a_deprecated_function_warns_at_the_line_of_its_caller() -> None:
    with pytest.warns(SynthlabDeprecationWarning, match=r"old is deprecated.* 0\.3\.0; use new") as issued:
        assert old(2, y=3) == 5
    assert issued[0].filename == __file__
    assert old.__doc__ == "Return a sum."
    assert issubclass(SynthlabDeprecationWarning, SynthlabWarning)


def test_a_deprecated_argument_warns_only_if_it_is_used() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert half_old(2, z=5) == 8
    for call in (lambda: half_old(2, 3), lambda: half_old(2, y=3)):
        with pytest.warns(SynthlabDeprecationWarning, match="argument 'y' of half_old"):
            assert call() == 5


def test_a_removal_is_in_a_minor_version_and_the_argument_exists() -> None:
    with pytest.raises(ValueError, match="minor version"):
        deprecated("new", removal="0.3.1")
    with pytest.raises(ValueError, match="does not have this argument"):
        deprecated("new", removal="0.3.0", argument="w")(old)
