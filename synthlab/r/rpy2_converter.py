"""rpy2 converter for frames, releases and columns."""

from __future__ import annotations

from typing import Any

import pandas as pd

from synthlab.datasets import Dataset
from synthlab.r.convert import from_r, to_r, vector_from_r, vector_to_r
from synthlab.r.session import require
from synthlab.r.sexp import classes_of, named_list, values_of
from synthlab.r.survey import from_svydesign
from synthlab.r.synthpop import from_synds
from synthlab.release import Release

# Classes of R vectors without attributes.
BARE = frozenset({"integer", "numeric", "logical", "character", "matrix", "array"})


def converter() -> Any:
    """Return an rpy2 converter that keeps the types of columns.

    The magic ``%%R`` uses it after ``%load_ext synthlab.r``. Frames and datasets (`to_r`), columns, and releases (as a list
    of data frames) are converted to R. Data frames (`from_r`), ``synds`` objects (`from_synds`), ``svydesign`` objects
    (`from_svydesign`: frame and design), and factors, dates and vectors with NA (as columns) are converted to Python. All
    other objects are converted by rpy2 itself; for example, vectors without NA become NumPy arrays.

    Returns
    -------
    rpy2.robjects.conversion.Converter
        Converter for ``converter().context()``, or for ``%%R -c`` of the extension of rpy2.

    Raises
    ------
    RUnavailableError
        If R or rpy2 is missing.

    Examples
    --------
    >>> import pandas as pd
    >>> import synthlab.r
    >>> frame = pd.DataFrame({"age": pd.array([30, None], dtype="Int64")})
    >>> if synthlab.r.probe().usable:
    ...     robjects = synthlab.r.require()
    ...     with synthlab.r.converter().context():
    ...         back = robjects.r("function(d) d")(frame)
    ...     assert back.equals(frame)
    """
    robjects = require()
    from rpy2 import rinterface
    from rpy2.robjects import numpy2ri

    base = robjects.default_converter + numpy2ri.converter
    made = robjects.conversion.Converter("synthlab", template=base)
    made.py2rpy.register(pd.DataFrame, to_r)
    made.py2rpy.register(Dataset, to_r)
    made.py2rpy.register(pd.Series, vector_to_r)
    made.py2rpy.register(Release, lambda release: named_list(None, [to_r(frame) for frame in release.frames]))

    def parts(value: Any) -> Any:
        classes = classes_of(value)
        if "data.frame" in classes:
            return from_r(value)
        if "synds" in classes:
            return from_synds(value)
        return from_svydesign(value) if "survey.design2" in classes else base.rpy2py(value)

    def vector(value: Any) -> Any:
        bare = BARE.issuperset(classes_of(value))
        return base.rpy2py(value) if bare and None not in values_of(value) else vector_from_r(value)

    made.rpy2py.register(rinterface.ListSexpVector, parts)
    for kind in (
        rinterface.IntSexpVector,
        rinterface.FloatSexpVector,
        rinterface.BoolSexpVector,
        rinterface.StrSexpVector,
    ):
        made.rpy2py.register(kind, vector)
    return made
