"""Cluster utility: compare the mix of confidential and synthetic records across clusters.

Stack the confidential and synthetic records, cluster them, and compare the share of confidential records in
each cluster with their overall share (Woo et al. 2009, section 3.2).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pandas as pd

from synthlab import _checks, _rng
from synthlab._calls import explains_arguments
from synthlab._result import Result
from synthlab._system.parallel import one_thread
from synthlab._typing import ColumnNames, FloatArray, FrameLike, FrameOrFrames, IntArray, RngLike
from synthlab.exceptions import InputError
from synthlab.utility._design import stack
from synthlab.utility._frames import NO_PLACE, check_usable, prepare


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ClusterUtilityResult(Result):
    """Cluster utility of each synthetic dataset.

    Attributes
    ----------
    cluster_utility : numpy.ndarray of float, shape (m,)
        U_c: mean over the G clusters of ``w_j (n_cj / n_j - c)**2``; 0 is best.
    null_mean : numpy.ndarray of float, shape (m,)
        Expected value of U_c for a correct synthesizer with fixed parameters, given the clusters.
    cluster_size : numpy.ndarray of int, shape (m, G)
        n_j: number of records of each cluster, confidential and synthetic.
    confidential_size : numpy.ndarray of int, shape (m, G)
        n_cj: number of confidential records of each cluster.
    share_confidential : float
        c: share of confidential records among all stacked records.
    variables : tuple of str
        Variables from which the clusters are formed.
    weighting : str
        Weighting of the clusters, "equal" or "size".
    """

    _figure: ClassVar[str] = "classifier.plot_clusters"
    _per_dataset: ClassVar[tuple[str, ...]] = ("cluster_utility", "null_mean", "ratio")

    cluster_utility: FloatArray
    null_mean: FloatArray
    cluster_size: IntArray
    confidential_size: IntArray
    share_confidential: float
    variables: tuple[str, ...]
    weighting: str

    @property
    def m(self) -> int:
        """Number of synthetic datasets."""
        return self.cluster_utility.size

    @property
    def n_clusters(self) -> int:
        """Number G of clusters."""
        return int(self.cluster_size.shape[1])

    @property
    def ratio(self) -> FloatArray:
        """``cluster_utility / null_mean``, shape (m,).

        The ratio is about 1 for a correct synthesizer with fixed parameters whose model fits every feature of the
        data that the clusters use.
        """
        return _checks.read_only(self.cluster_utility / self.null_mean)

    def summary(self) -> pd.DataFrame:
        """Return mean, minimum and maximum over the m datasets, one row per measure."""
        table = self.to_frame()
        return pd.DataFrame({"mean": table.mean(), "min": table.min(), "max": table.max()}).rename_axis("measure")

    @property
    def title(self) -> str:
        """Description of the clusters and the data."""
        return (
            f"Cluster utility with {self.n_clusters} clusters from {len(self.variables)} variables, m = {self.m}, share "
            f"of confidential records c = {self.share_confidential:.4g}; a ratio near 1 is what a correct synthesizer "
            "with fixed parameters gives."
        )


@explains_arguments
def cluster_utility(
    confidential: FrameLike,
    synthetic: FrameOrFrames,
    *,
    clusters: int = 50,
    variables: ColumnNames | None = None,
    categorical: ColumnNames = (),
    weighting: str = "equal",
    starts: int = 10,
    missing: str = "raise",
    rng: RngLike = None,
) -> ClusterUtilityResult:
    """Measure how evenly clusters mix confidential and synthetic records.

    There are G clusters. Cluster j has n_j records, of which n_cj are confidential, and c = n_c / N is the share of
    confidential records. Then ``U_c = 1/G sum over j of w_j (n_cj / n_j - c)**2`` (Woo et al. 2009, equation 5).

    Parameters
    ----------
    confidential : pandas.DataFrame or Dataset
        The confidential data.
    synthetic : DataFrame, sequence of DataFrames, or Release
        The m synthetic datasets; each is clustered together with the confidential data.
    clusters : int
        Number G of clusters, at least 2.
    variables : sequence of str, optional
        Variables to cluster by; by default all variables of the confidential data. Dates and time spans are measured
        in days.
    categorical : sequence of str
        Variables that are stored as numbers, dates or objects but are categories.
    weighting : {"equal", "size"}
        ``w_j = 1``, or ``w_j = G n_j / N``. With "size", U_c is the pMSE of a classifier whose only predictor is the
        cluster.
    starts : int
        Number of random starts of k-means; the best result is kept.
    missing : {"raise", "category"}
        Treatment of missing values: "raise" raises an error, and "category" makes them a separate category. "never" is
        not supported.
    rng : int or numpy.random.Generator, optional
        Seed or generator for the random starts.

    Returns
    -------
    ClusterUtilityResult

    Raises
    ------
    InputError
        A variable is absent or infinite; there are fewer distinct records than clusters; or an option is unknown. As
        for `pmse`: a column of objects holds numbers, a category has too many levels, or the design exceeds 2 GiB.
    MissingValueError
        A variable has missing values and ``missing="raise"``.

    Notes
    -----
    Clusters are computed by k-means (scikit-learn) on standardized numbers and one indicator per category. Given
    the clusters, shuffled labels give ``E (n_cj / n_j - c)**2 = c (1-c) (N - n_j) / (n_j (N - 1))``. For a correct
    synthesizer, the confidential data are held fixed, and this expected value is multiplied by c (see `pmse`).
    `null_mean` is its mean over the clusters.

    References
    ----------
    Woo, M.-J., Reiter, J. P., Oganian, A. and Karr, A. F. (2009). Global measures of data utility for
    microdata masked for disclosure limitation. Journal of Privacy and Confidentiality 1(1), 111-124.

    Examples
    --------
    >>> import pandas as pd
    >>> from synthlab.utility import cluster_utility
    >>> confidential = pd.DataFrame({"income": [1.0, 1.1, 1.2, 9.0]})
    >>> synthetic = pd.DataFrame({"income": [1.05, 9.1, 9.2, 9.3]})
    >>> cluster_utility(confidential, synthetic, clusters=2, rng=1).cluster_utility.tolist()
    [0.0625]
    """
    _checks.check_choice(weighting, "weighting", ("equal", "size"))
    _checks.check_meaning(missing, "cluster_utility", {"never": NO_PLACE})
    _checks.check_count(starts, "starts", 1)
    confidential, release, names = prepare(confidential, synthetic, variables, categorical)
    n, total = len(confidential), len(confidential) + release.n
    groups = _checks.check_count(clusters, "clusters", 2, total)
    check_usable(confidential, release, names, 'use missing="category" to treat missing as a separate level', missing)
    sizes, ours = np.empty((release.m, groups), np.int64), np.empty((release.m, groups), np.int64)
    for dataset, (frame, stream) in enumerate(zip(release, _rng.spawn(rng, release.m), strict=True)):
        columns = stack(confidential, frame, names, categorical=list(categorical), order=1, every_level=True).columns
        member = _cluster(columns, groups, starts, _rng.integer_seed(stream))
        sizes[dataset] = np.bincount(member, minlength=groups)
        ours[dataset] = np.bincount(member[:n], minlength=groups)
    c = n / total
    weights = np.ones(sizes.shape) if weighting == "equal" else groups * sizes / total
    spread = c**2 * (1 - c) * (total - sizes) / (sizes * (total - 1))
    return ClusterUtilityResult(
        cluster_utility=_checks.read_only((weights * (ours / sizes - c) ** 2).mean(axis=1)),
        null_mean=_checks.read_only((weights * spread).mean(axis=1)),
        cluster_size=_checks.read_only(sizes),
        confidential_size=_checks.read_only(ours),
        share_confidential=c,
        variables=tuple(names),
        weighting=weighting,
    )


def _cluster(columns: FloatArray, groups: int, starts: int, seed: int) -> IntArray:
    """Return the cluster 0..G-1 of each record."""
    from sklearn.cluster import KMeans

    distinct = len(np.unique(columns, axis=0))
    if distinct < groups:
        raise InputError(
            f"clusters={groups}: the stacked data have only {distinct} distinct records; use fewer clusters"
        )
    with one_thread():
        model = KMeans(groups, n_init=starts, max_iter=1000, tol=0.0, random_state=seed)
        return np.asarray(model.fit_predict(columns), dtype=np.int64)
