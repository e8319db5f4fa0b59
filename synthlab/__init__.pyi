from . import (
    counts as counts,
    datasets as datasets,
    dp as dp,
    exceptions as exceptions,
    plots as plots,
    r as r,
    risk as risk,
    scale as scale,
    synthesizers as synthesizers,
    units as units,
    utility as utility,
    weights as weights,
)
from .design import SurveyDesign as SurveyDesign
from .intruder import (
    Interval as Interval,
    Intruder as Intruder,
    OneOf as OneOf,
)
from .io import read as read, write as write
from .matching.numeric_groups import group_numbers as group_numbers
from .plots.style import figure_with_description as figure_with_description
from .release import Release as Release
from .report import (
    compare as compare,
    evaluate as evaluate,
)
from .risk import (
    RareCombinations as RareCombinations,
    ReleasedInformation as ReleasedInformation,
    attack_score as attack_score,
    attribute_disclosure as attribute_disclosure,
    attribute_risk as attribute_risk,
    cap as cap,
    chosen_variables_risk as chosen_variables_risk,
    closest_record as closest_record,
    copied_people as copied_people,
    copied_units as copied_units,
    exact_copies as exact_copies,
    expected_identification_probability as expected_identification_probability,
    guess_posterior as guess_posterior,
    identification_probability as identification_probability,
    identification_risk as identification_risk,
    identifying_values as identifying_values,
    intruder_risk as intruder_risk,
    learned_attack as learned_attack,
    linkage_risk as linkage_risk,
    membership_risk as membership_risk,
    near_copies as near_copies,
    near_units as near_units,
    planted_copies as planted_copies,
    population_counts as population_counts,
    replicated_uniques as replicated_uniques,
    unit_risk as unit_risk,
)
from .synthesis import (
    Plan as Plan,
    plan_synthesis as plan_synthesis,
    synthesize as synthesize,
    synthesize_tables as synthesize_tables,
)
from .synthesizers import (
    CART as CART,
    DPMPM as DPMPM,
    AllowedCombinations as AllowedCombinations,
    Bounds as Bounds,
    DirichletMultinomial as DirichletMultinomial,
    FiniteMixture as FiniteMixture,
    Imputed as Imputed,
    LogisticRegression as LogisticRegression,
    MultinomialRegression as MultinomialRegression,
    NegativeBinomial as NegativeBinomial,
    NestedDPMPM as NestedDPMPM,
    NormalRegression as NormalRegression,
    OrderedLogisticRegression as OrderedLogisticRegression,
    PoissonRegression as PoissonRegression,
    Resample as Resample,
    Sequential as Sequential,
    SumOf as SumOf,
    TopcodeImputation as TopcodeImputation,
    Topcoding as Topcoding,
    TwoPart as TwoPart,
    ZeroUnless as ZeroUnless,
    load_fit as load_fit,
    synthesize_pseudo_populations as synthesize_pseudo_populations,
)
from .units import UnitRules as UnitRules
from .utility import (
    analysis_utility as analysis_utility,
    barycenter as barycenter,
    bootstrap_statistic as bootstrap_statistic,
    cluster_utility as cluster_utility,
    column_differences as column_differences,
    combine_full as combine_full,
    combine_nested as combine_nested,
    combine_partial as combine_partial,
    combine_pseudo_populations as combine_pseudo_populations,
    ecdf_utility as ecdf_utility,
    interval_overlap as interval_overlap,
    joint_test as joint_test,
    pmse as pmse,
    prediction_utility as prediction_utility,
    survey_mean as survey_mean,
    survey_quantile as survey_quantile,
    survey_regression as survey_regression,
    survey_total as survey_total,
    table_utility as table_utility,
    unit_utility as unit_utility,
)
from .weights import (
    PseudoPosteriorMechanism as PseudoPosteriorMechanism,
    achieved_epsilon as achieved_epsilon,
    exponential_mechanism_weight as exponential_mechanism_weight,
    lipschitz_weights as lipschitz_weights,
    policy_frontier as policy_frontier,
    risk_weights as risk_weights,
    scale_and_shift as scale_and_shift,
    whack_a_mole as whack_a_mole,
)

__version__: str
