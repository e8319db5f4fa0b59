"""Draws from the marginal distribution of one variable."""

from dataclasses import dataclass

from synthlab import _checks, _rng
from synthlab.synthesizers._missing import check_missing
from synthlab.synthesizers._pymc import sampler_options
from synthlab.synthesizers._unfitted import Unfitted
from synthlab.synthesizers.base import Fitted, check_fit, fit_under_design


class FittedMarginal(Fitted):
    """A fitted `Marginal`."""

    def draw(self, frame, draw, rng):
        p = None if self.weights is None else self.weights / self.weights.sum()
        donors = rng.choice(len(self.confidential), size=len(frame), p=p)
        return {c: self.confidential[c].iloc[donors].set_axis(frame.index) for c in self.synthesized}


@dataclass(frozen=True)
class Marginal(Unfitted):
    """Synthesizer that draws values of one variable with replacement."""

    variable: str

    def fit(self, confidential, *, weights=None, design=None, rng=None, **sampler):
        if design is not None:
            return fit_under_design(self, confidential, weights, design, rng, sampler)
        sampler_options(sampler)
        _rng.as_generator(rng)
        frame, checked = check_fit(confidential, weights)
        names = _checks.check_columns(frame, [self.variable], "variable", where="confidential")
        check_missing(frame, "raise", None, names)
        return FittedMarginal(self, frame, checked, tuple(names), None)
