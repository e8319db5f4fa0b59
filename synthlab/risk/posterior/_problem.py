"""Matching problem of the intruder: profiles, averages over guesses, and declarations."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._typing import BoolArray, IntArray
from synthlab.exceptions import InputError
from synthlab.intruder import Intruder
from synthlab.intruder.partial_knowledge import Interval
from synthlab.release import Release
from synthlab.risk.posterior import _average as averages
from synthlab.risk.posterior._attack import Attack
from synthlab.risk.posterior._draws import guess_from_datasets, simulate, simulators
from synthlab.risk.posterior._selection import Admissible
from synthlab.risk.posterior._targets import Ball, Matcher, Pairs, agrees, make_matcher
from synthlab.risk.posterior.rare_combinations import JointSelection


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """Validated input, profiles of the targets, and records that agree on the known variables.

    own : (targets,) row of the release that describes each target, -1 if its record is not released; classes : (n,) if given,
    the datasets are shuffled, and their rows are linked up to an order within each class.
    """

    confidential: pd.DataFrame
    release: Release
    known: list[str]
    synthesized: list[str]
    matcher: Matcher
    known_pairs: Pairs
    known_profile: IntArray
    targets: IntArray
    own: IntArray
    numeric: tuple[str, ...]
    population: averages.Population | None
    admissible: Admissible | None = field(repr=False)
    joint: JointSelection | None = field(repr=False)
    classes: IntArray | None = field(repr=False)

    @classmethod
    def of(
        cls, frame: pd.DataFrame, release: Release, known: list[str], synthesized: list[str], attack: Attack,
        ball: Ball | None, targets: IntArray, rows: IntArray,
        classes: IntArray | None = None,
    ) -> Problem:  # fmt: skip
        """Prepare matching on all variables, and on the known variables alone.

        rows : position of the confidential record that each row of the release describes.
        """
        intruder, selection, rule = attack.intruder, attack.scenario.admissible, attack.scenario.rule
        knowledge = dict(intruder.knowledge or {})
        matcher = make_matcher(frame, [*known, *synthesized], knowledge, ball, intruder.missing)
        on_known = make_matcher(frame, known, knowledge, None, intruder.missing)
        intervals = [c for c, k in knowledge.items() if isinstance(k, Interval) and c in synthesized]
        return cls(
            confidential=frame,
            release=release,
            known=known,
            synthesized=synthesized,
            matcher=matcher,
            known_pairs=on_known.match(release[0]),
            known_profile=on_known.profile[matcher.first],
            targets=targets,
            own=rows_of(targets, rows, len(frame)),
            numeric=(*(() if ball is None else ball.columns), *intervals),
            population=_population(intruder, matcher, [*known, *synthesized], frame, rows),
            admissible=Admissible.of(selection, frame, synthesized).take(rows) if selection else None,
            joint=JointSelection.of(rule, frame, [*known, *synthesized], rows) if rule else None,
            classes=classes,
        )

    def attack(
        self, attack: Attack, sampler: dict[str, Any], fits: np.random.Generator, guesses: np.random.Generator
    ) -> averages.Average:
        """Return the averaged match probabilities."""
        columns = [*self.known, *self.synthesized]
        if attack.scenario.released == "nothing":
            found = guess_from_datasets(
                self.release, attack, columns, self.synthesized, self.numeric, self.admissible, self.joint, self.classes,
                guesses,
            )  # fmt: skip
            return self.average(found, attack, self.classes if attack.strategy == "probability" else None)
        draws = 1 if attack.draws == "exact" else attack.draws
        models = simulators(self.release, attack, self.synthesized, sampler, draws, fits)
        if attack.draws == "exact":
            return self._limit(models, attack)
        simulated = simulate(models, self.release, columns, draws, self.admissible, self.joint, self.classes, guesses)
        return self.average(simulated, attack)

    def average(
        self, guesses: Iterable[pd.DataFrame], attack: Attack, classes: IntArray | None = None
    ) -> averages.Average:
        """Average over guesses of the true values, and over the matchings within the classes."""
        count = self.known_pairs.count[self.known_profile]
        return averages.average(
            guesses, self.matcher, self.release.n, count, fallback=attack.fallback, population=self.population,
            classes=classes,
        )  # fmt: skip

    def _limit(self, models: list[Any], attack: Attack) -> averages.Average:
        if len(models) > 1 or not models[0].has_probabilities or models[0].n_draws not in (None, 1):
            raise InputError(
                'draws="exact": requires one released model with closed-form probabilities of its categories (combine several '
                "with Sequential); otherwise pass a number of draws"
            )
        if self.numeric or set(models[0].synthesized) != set(self.synthesized) or self.matcher.sets:
            raise InputError(
                'draws="exact": every synthesized variable must be compared by value and simulated by the model; otherwise pass '
                "a number of draws"
            )
        truth = self.matcher.truth[self.synthesized]
        probability = models[0].probability_of(self.release[0], truth, 0)
        if self.matcher.missing == "never":
            probability = np.where(_checks.complete_mask(truth, self.synthesized), probability, 0.0)
        return averages.limit(
            probability, self.matcher, self.known_pairs, self.known_profile, self.release.n, attack.fallback
        )

    def declare(self, found: averages.Average, may_decline: bool, classes: IntArray | None = None) -> averages.Declared:
        """Return the declaration for each target.

        With `classes`, the own record of a target is any record of its class, with equal probabilities, and the declaration
        contains the mean over these records.
        """
        if classes is None:
            return self._declare(found, self.matcher.profile[self.targets], self.own, may_decline)
        size = np.bincount(classes)
        start = np.cumsum(size) - size
        k = size[classes[self.targets]]
        whose = np.repeat(np.arange(k.size), k)
        first = np.cumsum(k) - k
        member = np.argsort(classes, kind="stable")[
            np.repeat(start[classes[self.targets]] - first, k) + np.arange(whose.size)
        ]
        each = self._declare(found, self.matcher.profile[self.targets][whose], member, may_decline)
        own, probability = (np.add.reduceat(part, first) / k for part in (each.own.astype(float), each.own_probability))
        return averages.Declared(each.largest[first], each.count[first], own, probability, each.outside[first])

    def _declare(
        self, found: averages.Average, profile: IntArray, own: IntArray, may_decline: bool
    ) -> averages.Declared:
        own_known = agrees(self.known_pairs, self.known_profile[profile], own, self.release.n)
        count = self.known_pairs.count[self.known_profile]
        return averages.declare(found, profile, own, own_known, count, may_decline)

    def unique(self) -> BoolArray:
        """Return which targets are unique in the confidential data, given the knowledge of them."""
        count = self.matcher.match(self.confidential).count
        return np.asarray(count[self.matcher.profile[self.targets]] == 1, dtype=bool)


def rows_of(targets: IntArray, rows: IntArray, n: int) -> IntArray:
    """Return the row of the release that describes each target; -1 if there is none."""
    place = np.full(n, -1, dtype=np.int64)
    place[rows] = np.arange(rows.size)
    return _checks.read_only(place[targets])


def _population(
    intruder: Intruder, matcher: Matcher, columns: list[str], frame: pd.DataFrame, rows: IntArray
) -> averages.Population | None:
    if intruder.weights is not None:
        return averages.Population(_checks.check_weights(intruder.weights, len(frame))[rows], None)
    if intruder.population is None:
        return None
    if isinstance(intruder.population, pd.Series) and list(intruder.population.index.names) != [None]:
        if matcher.ball is not None:
            raise InputError("population: a census table does not apply with a radius; pass N_t of each record")
        return averages.Population(None, averages.census_counts(intruder.population, frame, columns, matcher))
    counts = averages.given_counts(intruder.population, matcher.first, matcher.profile, len(frame))
    return averages.Population(None, counts)
