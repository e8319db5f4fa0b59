from ._plug_in_normal import (
    PlugInNormal as PlugInNormal,
    plug_in_normal as plug_in_normal,
)
from .base import (
    Fitted as Fitted,
    Synthesizer as Synthesizer,
)
from .cart import CART as CART
from .chains import (
    autocorrelation as autocorrelation,
    diagnose_chains as diagnose_chains,
)
from .constraints import (
    AllowedCombinations as AllowedCombinations,
    Bounds as Bounds,
    SumOf as SumOf,
    ZeroUnless as ZeroUnless,
)
from .dirichlet_multinomial import DirichletMultinomial as DirichletMultinomial
from .dpmpm import DPMPM as DPMPM
from .finite_mixture import (
    FiniteMixture as FiniteMixture,
    FittedFiniteMixture as FittedFiniteMixture,
)
from .imputation import Imputed as Imputed
from .logistic_regression import LogisticRegression as LogisticRegression
from .multinomial_regression import MultinomialRegression as MultinomialRegression
from .negative_binomial import NegativeBinomial as NegativeBinomial
from .nested_dpmpm import NestedDPMPM as NestedDPMPM
from .normal_regression import NormalRegression as NormalRegression
from .ordered_logistic_regression import OrderedLogisticRegression as OrderedLogisticRegression
from .poisson_regression import PoissonRegression as PoissonRegression
from .pseudo_populations import (
    draw_pseudo_samples as draw_pseudo_samples,
    synthesize_pseudo_populations as synthesize_pseudo_populations,
)
from .resample import Resample as Resample
from .saved_fits import load_fit as load_fit
from .sequential import Sequential as Sequential
from .topcode_imputation import TopcodeImputation as TopcodeImputation
from .topcoding import Topcoding as Topcoding
from .two_part import TwoPart as TwoPart
