from .attribute import (
    plot_attack as plot_attack,
    plot_guesses as plot_guesses,
    plot_learned_attack as plot_learned_attack,
    plot_links as plot_links,
    plot_truth as plot_truth,
)
from .classifier import (
    plot_clusters as plot_clusters,
    plot_propensity_null as plot_propensity_null,
    plot_propensity_scores as plot_propensity_scores,
)
from .comparison import plot_risk_utility_map as plot_risk_utility_map
from .count_privacy import plot_count_privacy as plot_count_privacy
from .counts import (
    plot_cell_sizes as plot_cell_sizes,
    plot_frontier as plot_frontier,
    plot_tau as plot_tau,
    plot_tuning as plot_tuning,
)
from .distances import (
    plot_barycenter as plot_barycenter,
    plot_combined as plot_combined,
    plot_ecdf_distances as plot_ecdf_distances,
    plot_table_distances as plot_table_distances,
)
from .dp import (
    plot_choice as plot_choice,
    plot_private as plot_private,
    plot_private_table as plot_private_table,
)
from .dp_account import (
    plot_audit as plot_audit,
    plot_budget as plot_budget,
)
from .intervals import (
    plot_analysis as plot_analysis,
    plot_interval_overlap as plot_interval_overlap,
)
from .intruder import (
    plot_baselines as plot_baselines,
    plot_match_probabilities as plot_match_probabilities,
    plot_perceived as plot_perceived,
)
from .lipschitz import (
    plot_bound_by_size as plot_bound_by_size,
    plot_divergence as plot_divergence,
    plot_lipschitz_weights as plot_lipschitz_weights,
    plot_price as plot_price,
    plot_sensitivities as plot_sensitivities,
    plot_statistics as plot_statistics,
)
from .marginals import plot_marginals as plot_marginals
from .membership import plot_membership as plot_membership
from .risk import (
    plot_identification_probability as plot_identification_probability,
    plot_record_risk as plot_record_risk,
)
from .sampling import (
    plot_bootstrap as plot_bootstrap,
    plot_repeated_intervals as plot_repeated_intervals,
)
from .tables import (
    plot_level_shares as plot_level_shares,
    plot_pair_distances as plot_pair_distances,
)
from .utility import (
    plot_ecdf as plot_ecdf,
    plot_propensity as plot_propensity,
    plot_shares as plot_shares,
)
from .weights import (
    plot_estimates as plot_estimates,
    plot_policy_frontier as plot_policy_frontier,
    plot_risk_groups as plot_risk_groups,
    plot_weights as plot_weights,
    plot_whack_a_mole as plot_whack_a_mole,
)
