"""Classifiers used by pMSE."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from synthlab._typing import FloatArray, IntArray
from synthlab.utility._design import Stacked
from synthlab.utility._logistic import fitted_probabilities, is_separated
from synthlab.utility._orthogonal_columns import Independent, independent
from synthlab.utility._presorted_tree import Presorted


class Classifier(Protocol):
    """Classifier that is fitted to labels and predicts them for the same weighted records."""

    @property
    def weights(self) -> FloatArray | None:
        """Weights of the records, shape (N,); None for equal weights."""

    def predict(self, label: FloatArray) -> FloatArray:
        """Return the predicted probability of label 1, shape (N,)."""


@dataclass(frozen=True, slots=True, eq=False)
class LogisticClassifier:
    """Logistic regression without a penalty, fitted to grouped equal records.

    Attributes
    ----------
    design : Independent
        Orthogonal columns that span the design, one row per distinct record, and the positions of redundant columns.
    member : numpy.ndarray of int, shape (N,)
        Row of `design` for each record.
    weights : numpy.ndarray of float, shape (N,), or None
        Survey weights of the records.
    """

    design: Independent
    member: IntArray
    weights: FloatArray | None = None

    @property
    def basis(self) -> FloatArray:
        """Orthogonal columns that span the design, shape (u, k)."""
        return self.design.basis

    @property
    def count(self) -> FloatArray:
        """Number of records of each row, or the sum of their weights, shape (u,)."""
        return np.bincount(self.member, self.weights, minlength=len(self.basis)).astype(np.float64)

    def ones(self, label: FloatArray) -> FloatArray:
        """Return the number (or sum of weights) of records with label 1 in each row, shape (u,)."""
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
    """Classification tree (Gini) with a minimum number of records per leaf."""

    columns: Presorted
    min_leaf: int
    weights: FloatArray | None = None

    def predict(self, label: FloatArray) -> FloatArray:
        """Return the share of label 1 in each record's leaf, shape (N,)."""
        weights = np.ones(label.size) if self.weights is None else self.weights
        return self.columns.shares(label, weights, self.min_leaf)


def make_classifier(
    stacked: Stacked, model: str, min_leaf: int, seed: int, weights: FloatArray | None = None
) -> LogisticClassifier | TreeClassifier:
    """Return the classifier for `model`, "logistic" or "cart"."""
    if model == "logistic":
        return LogisticClassifier(independent(stacked.distinct), stacked.member, weights)
    return TreeClassifier(Presorted.of(stacked.columns, np.random.default_rng(seed)), min_leaf, weights)
