"""Reading of fits that were saved with `Fitted.save`."""

from __future__ import annotations

from typing import Any

from synthlab import _checks
from synthlab._calls import explains_arguments
from synthlab._typing import PathOrStr
from synthlab.exceptions import InputError
from synthlab.synthesizers._field_types import FieldTypes
from synthlab.synthesizers._fit_file import read_fit
from synthlab.synthesizers._posterior import Diagnostics
from synthlab.synthesizers.base import Fitted, Synthesizer
from synthlab.synthesizers.constraints import SumOf

# A sequence computes a sum as a part of its own.
TYPES = FieldTypes({"Diagnostics": Diagnostics, "Fitted": Fitted, "Synthesizer": Synthesizer}, Synthesizer | SumOf)


@explains_arguments
def load_fit(path: PathOrStr) -> Fitted | Any:
    """Load a fit that was saved with `Fitted.save` or `FittedMechanism.save`.

    The file contains no pickled objects, and loading runs no code of the file. Checksums detect damage and accidental
    edits, but not a forged file. Formulas, sizes and the types of all fields are checked, but a forged fit can still fail
    when it generates datasets.

    Parameters
    ----------
    path : path
        The file.

    Returns
    -------
    Fitted or FittedMechanism
        A fit that generates the same datasets as the saved fit for the same seed.

    Raises
    ------
    ChecksumError
        If the file is truncated, damaged or edited.
    InputError
        If the file cannot be read, is not a saved fit, has another format version, contains a class that cannot be
        loaded or a field of another type than the class declares, or if its content is much larger than the file.

    See Also
    --------
    Fitted.save : Write the file.
    synthlab.weights.FittedMechanism.save : Write the file of a fitted mechanism.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import synthlab as sl
    >>> survey = sl.datasets.load("affairs").frame.head(500)
    >>> fitted = sl.CART(["educ", "affairs"], predictors=["age"]).fit(survey, rng=1)
    >>> with TemporaryDirectory() as folder:
    ...     again = sl.load_fit(fitted.save(Path(folder) / "fit.zip"))
    >>> again.generate(m=2, rng=3)[1].equals(fitted.generate(m=2, rng=3)[1])
    True
    """
    fitted = read_fit(_checks.check_path(path, "path"), TYPES)
    if not hasattr(fitted, "generate"):
        raise InputError(f"path={str(path)!r}: contains a {type(fitted).__name__}, which is not a fit")
    return fitted


__all__ = ["load_fit"]
