"""The classifiers behind pMSE: from labels to predicted probabilities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from synthlab._typing import FloatArray, IntArray
from synthlab.utility._design import Stacked
from synthlab.utility._logistic import fitted_probabilities, is_separated
from synthlab.utility._orthogonal_columns import Independent, independent


class Classifier(Protocol):
    """Something that learns labels and predicts them on the same records, each with its weight."""

    @property
    def weights(self) -> FloatArray | None:
        """Weights of the records, shape (N,); None: 1 each."""

    def predict(self, label: FloatArray) -> FloatArray:
        """Return the predicted probability of label 1, shape (N,)."""


@dataclass(frozen=True, slots=True, eq=False)
class LogisticClassifier:
    """Logistic regression without a penalty; equal records are fitted together.

    Attributes
    ----------
    design : Independent
        Columns that span the design, one row per distinct record, and which ones were redundant.
    member : numpy.ndarray of int, shape (N,)
        The row of each record.
    weights : numpy.ndarray of float, shape (N,), or None
        Survey weights of the records.
    """

    design: Independent
    member: IntArray
    weights: FloatArray | None = None

    @property
    def basis(self) -> FloatArray:
        """Columns that span the design, shape (u, k)."""
        return self.design.basis

    @property
    def count(self) -> FloatArray:
        """Records of each row, or the sum of their weights, shape (u,)."""
        return np.bincount(self.member, self.weights, minlength=len(self.basis)).astype(np.float64)

    def ones(self, label: FloatArray) -> FloatArray:
        """Records of each row that have label 1, or the sum of their weights, shape (u,)."""
        counted = label if self.weights is None else label * self.weights
        return np.asarray(np.bincount(self.member, counted, minlength=len(self.basis)), dtype=np.float64)

    def predict(self, label: FloatArray) -> FloatArray:
        """Return the fitted probabilities of label 1, shape (N,)."""
        return fitted_probabilities(self.basis, self.ones(label), self.count)[self.member]

    def separates(self, label: FloatArray, probability: FloatArray) -> bool:
        """Return whether some records are separated perfectly."""
        distinct = np.empty(len(self.basis))
        distinct[self.member] = probability
        return is_separated(self.basis, self.ones(label), self.count, distinct)


@dataclass(frozen=True, slots=True, eq=False)
class TreeClassifier:
    """Classification tree (Gini), with a smallest number of records in a leaf."""

    columns: FloatArray
    min_leaf: int
    seed: int
    weights: FloatArray | None = None

    def predict(self, label: FloatArray) -> FloatArray:
        """Return the share of label 1 in each record's leaf, shape (N,)."""
        from sklearn.tree import DecisionTreeClassifier

        tree = DecisionTreeClassifier(min_samples_leaf=self.min_leaf, random_state=self.seed)
        tree = tree.fit(self.columns, label, sample_weight=self.weights)
        return np.asarray(tree.predict_proba(self.columns)[:, 1])


def make_classifier(
    stacked: Stacked, model: str, min_leaf: int, seed: int, weights: FloatArray | None = None
) -> LogisticClassifier | TreeClassifier:
    """Return the classifier of a name."""
    if model == "logistic":
        return LogisticClassifier(independent(stacked.distinct), stacked.member, weights)
    return TreeClassifier(stacked.columns, min_leaf, seed, weights)
