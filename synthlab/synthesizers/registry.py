"""Registry of the synthesizers: each is declared here once.

Everything that lists synthesizers reads the registry: the public names (``python -m tests.stubs`` writes them into the
stubs), the names of models in `synthlab.synthesize`, the classes that can be saved, and the tests of all synthesizers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

synthesizers: Any = import_module("synthlab.synthesizers")  # by name, because its modules read this registry
SAMPLED = {"draws": 12, "tune": 40, "chains": 1}


@dataclass(frozen=True)
class Declaration:
    """Declaration of a synthesizer.

    The contract of all synthesizers (`tests/synthesizers/test_contract.py`) checks that the fit of the example has the
    declared capabilities. Every synthesizer uses weights.

    Parameters
    ----------
    module : str
        Name of the module in `synthlab.synthesizers`.
    name : str
        Name of the class, which `synthlab` and `synthlab.synthesizers` export.
    example : callable
        Returns a small specification for a table with the columns ``age`` (whole numbers), ``region`` (2 levels),
        ``job`` (3 levels), ``children`` (counts), ``income`` (positive) and ``hours`` (0 or positive).
    options : mapping
        Options with which `fit` is fast for the example.
    impossible : float or str
        A value of the first synthesized variable that the model cannot produce.
    models : mapping {str: mapping}
        Names of the model in ``synthesize(models=...)``, each with the options of the specification, whose first
        argument is a formula. Default: none.
    missing : bool
        Whether `fit` has the argument ``missing`` and can generate missing values.
    given : bool
        Whether `generate` has values ``given`` for the variables that are not synthesized.
    density : bool
        Whether the model has a likelihood.
    clipped : bool
        Whether `fit_clipped` can clip the likelihood.
    needs_records : bool
        Whether values are drawn with the help of the confidential records, so that ``save(data=False)`` is refused.
    """

    module: str
    name: str
    example: Callable[[], Any] = field(repr=False)
    options: Mapping[str, int] = field(default_factory=dict)
    impossible: float | str = "text"
    models: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    missing: bool = True
    given: bool = True
    density: bool = True
    clipped: bool = False
    needs_records: bool = False

    @property
    def specification(self) -> Any:
        """The class of the synthesizer."""
        return getattr(import_module(f"synthlab.synthesizers.{self.module}"), self.name)


DECLARATIONS = (
    Declaration("resample", "Resample", lambda: synthesizers.Resample(["income"]), density=False, needs_records=True),
    Declaration(
        "cart",
        "CART",
        lambda: synthesizers.CART(["income"], predictors=["age", "region"]),
        density=False,
        needs_records=True,
    ),
    Declaration(
        "dirichlet_multinomial",
        "DirichletMultinomial",
        lambda: synthesizers.DirichletMultinomial(["job"], given=["region"]),
    ),
    Declaration("dpmpm", "DPMPM", lambda: synthesizers.DPMPM(["job", "region"], classes=3), SAMPLED),
    Declaration(
        "normal_regression",
        "NormalRegression",
        lambda: synthesizers.NormalRegression("income ~ age + region", transform="log"),
        SAMPLED,
        impossible=-1.0,
        models={"normal": {}, "log-normal": {"transform": "log"}},
        clipped=True,
    ),
    Declaration(
        "logistic_regression",
        "LogisticRegression",
        lambda: synthesizers.LogisticRegression("region ~ age"),
        SAMPLED,
        models={"logistic": {}},
        clipped=True,
    ),
    Declaration(
        "multinomial_regression",
        "MultinomialRegression",
        lambda: synthesizers.MultinomialRegression("job ~ age", method="laplace"),
        {"draws": 12, "chains": 1},
        models={"multinomial": {}},
    ),
    Declaration(
        "ordered_logistic_regression",
        "OrderedLogisticRegression",
        lambda: synthesizers.OrderedLogisticRegression("children ~ age"),
        SAMPLED,
        impossible=0.5,
        models={"ordered logistic": {}},
    ),
    Declaration(
        "poisson_regression",
        "PoissonRegression",
        lambda: synthesizers.PoissonRegression("children ~ age"),
        SAMPLED,
        impossible=-2.0,
        models={"poisson": {}},
        clipped=True,
    ),
    Declaration(
        "negative_binomial",
        "NegativeBinomial",
        lambda: synthesizers.NegativeBinomial("children ~ age"),
        SAMPLED,
        impossible=0.5,
        models={"negative binomial": {}},
        clipped=True,
    ),
    Declaration(
        "two_part", "TwoPart", lambda: synthesizers.TwoPart("hours ~ age", transform="log"), SAMPLED, impossible=-1.0
    ),
    Declaration(
        "finite_mixture",
        "FiniteMixture",
        lambda: synthesizers.FiniteMixture("income ~ age", classes=2, transform="log"),
        SAMPLED,
        impossible=-1.0,
    ),
    Declaration(
        "topcoding",
        "Topcoding",
        lambda: synthesizers.Topcoding("income", top=40.0),
        given=False,
        density=False,
        needs_records=True,
    ),
    Declaration(
        "topcode_imputation",
        "TopcodeImputation",
        lambda: synthesizers.TopcodeImputation("income", top=25.0),
        given=False,
        density=False,
        needs_records=True,
    ),
    Declaration(
        "sequential",
        "Sequential",
        lambda: synthesizers.Sequential(
            [synthesizers.DirichletMultinomial(["job"]), synthesizers.CART(["income"], predictors=["job"])]
        ),
        density=False,
        needs_records=True,
    ),
)
SYNTHESIZERS: dict[str, Declaration] = {declaration.name: declaration for declaration in DECLARATIONS}
CLIPPED = ", ".join(sorted(declaration.name for declaration in DECLARATIONS if declaration.clipped))
