"""Error of models that are used like a fit before `fit` is called."""

from __future__ import annotations

from typing import Any, ClassVar

from synthlab.exceptions import NotFittedError


class Unfitted:
    """Base class of specifications, which raise an error for the attributes of a fit."""

    _made: ClassVar[type]  # the class of the fit

    def __getattr__(self, name: str) -> Any:
        model = type(self).__name__
        if name.startswith("_") or not hasattr(self._made, name):
            raise AttributeError(f"{model!r} object has no attribute {name!r}", name=name, obj=self)
        raise NotFittedError(
            f"{name}: this {model} is not fitted. The method fit returns the fit and does not change the model; use "
            f"fitted = model.fit(confidential), then fitted.{name}"
        )


__all__ = ["Unfitted"]
