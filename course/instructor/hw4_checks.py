"""Checks of homework 4: the right answers and typical slips, each with its hint."""

import numpy as np
import pandas as pd

import synthlab as sl
from synthlab.teaching import Exercise
from synthlab.teaching.homework import examples, require_function, require_number, require_property
from synthlab.teaching.homework.properties import protected_release

KNOWN, SYNTHESIZED = ["age", "yrs_married", "children"], ["educ", "occupation"]
KEYS, TARGET = ["age", "educ"], "occupation"
RNG = np.random.default_rng(1)


def tiny(known):
    n = int(RNG.integers(5, 9))
    made = {"sex": RNG.choice(list("fm"), n), "town": RNG.choice(list("AB"), n)}
    truth = pd.DataFrame(made | {"income": RNG.integers(1, 4, n) * 10.0})
    rows = RNG.permutation(n)
    return truth, truth.assign(income=truth["income"].to_numpy()[rows]), known, ["income"]


def risks(share=lambda own, c, some: own / c, columns=lambda known, synthesized: known + synthesized, axis=1):
    def function(confidential, synthetic, known, synthesized):
        seen = columns(known, synthesized)
        truth, made = (f[seen].to_numpy() for f in (confidential, synthetic))
        agree = (truth[:, None] == made[None]).all(axis=2)
        count = np.maximum(agree.sum(axis=axis), 1)
        return share(agree.diagonal(), count, agree.any(axis=1))

    return function


MATCH_RISKS = Exercise(
    "hw4.match_risks",
    answers=examples(*(tiny(known) for known in [["sex"], ["sex", "town"]] * 4)),
    right=risks(),
    slips={
        "This is 1 / c for every person with a match; the guess is wrong where T = 0.": risks(
            lambda own, c, some: some / c
        ),
        "This is T; a person with c matches is guessed right with probability 1 / c.": risks(
            lambda own, c, some: own * 1.0
        ),
        "This is the sum; return T / c for each person.": risks(lambda own, c, some: (own / c).sum()),
        "This is the mean; return T / c for each person.": risks(lambda own, c, some: (own / c).mean()),
        "You count confidential rows; for each person the intruder searches the synthetic rows.": risks(axis=0),
        "You compare only the synthesized columns; the intruder uses the known columns too.": risks(
            columns=lambda known, synthesized: synthesized
        ),
        "You compare only the known columns; the intruder uses the synthesized columns too.": risks(
            columns=lambda known, synthesized: known
        ),
    },
)


def measured(women, colleague):
    return sl.identification_risk(women, colleague, sl.Intruder(known=KNOWN, synthesized=SYNTHESIZED))


def best_guess(women, released, keys=KEYS):
    most = released.groupby(keys)[TARGET].agg(lambda values: values.mode()[0])
    guess = women[keys].merge(most.reset_index(), how="left", on=keys)[TARGET]
    return (guess.to_numpy() == women[TARGET].to_numpy()).mean()


def cap(women, release, keys=KEYS):
    return sl.cap(women, release, sl.Intruder(known=keys, synthesized=[TARGET]), target=TARGET)


def check_uniques(answer, women):
    sizes = women.groupby(KNOWN + SYNTHESIZED, observed=True).size()
    right = (sizes == 1).sum()
    slips = {
        "This is the number of different patterns; count the patterns of one woman.": len(sizes),
        "These are the women who are not unique.": len(women) - right,
        "This uses the known variables alone; include education and occupation.": (
            women.groupby(KNOWN).size() == 1
        ).sum(),
        "This uses all columns; the intruder knows five of them.": (~women.duplicated(keep=False)).sum(),
    }
    require_number(answer, right, slips)


def check_match_risks(answer):
    require_function(MATCH_RISKS, answer)


def check_colleague_risk(answer, women, colleague):
    risk = measured(women, colleague)
    per_dataset = risk.expected_match_risk
    slips = {
        "This is the risk of the first dataset alone; average over all five.": per_dataset[0],
        "This is the sum over the five datasets; take the mean.": per_dataset.sum(),
        "This matches the confidential file with itself: it is the baseline.": risk.baseline.expected_match_risk[0],
        "This is divided by the number of women; the expected match risk is a sum.": per_dataset.mean() / len(women),
        "This intruder ignores education and occupation: it is the other baseline.": risk.known_only[0],
    }
    require_number(answer, per_dataset.mean(), slips, tolerance=0.02)


def check_colleague_worst(answer, women, colleague):
    each = measured(women, colleague).record_match_risk
    slips = {
        "This is the largest risk in any one dataset; average over the datasets for each woman first.": each.max(),
        "This is the mean over the women; take the largest.": each.mean(),
        "This is the sum of her five risks; take the mean.": each.sum(axis=1).max(),
    }
    require_number(answer, each.mean(axis=1).max(), slips, tolerance=0.002)


def check_draw_excess(answer, women, colleague):
    result = cap(women, colleague)
    shares = women[TARGET].value_counts(normalize=True)
    draw = (shares**2).sum()
    slips = {
        "This is CAP; subtract what the intruder reaches without the release.": result.attack,
        "This subtracts the best constant; the first baseline is a draw.": result.attack - shares.max(),
        "This is the first dataset alone; average over all five.": cap(women, colleague[0]).attack - draw,
        "The keys are age and education here, not the family.": cap(women, colleague, KNOWN).attack - draw,
        "This counts in the confidential file; the intruder has the synthetic files.": result.confidential - draw,
        "The baseline draws with the shares of the occupations, which are not equal.": result.attack - 1 / 6,
    }
    require_number(answer, result.attack - result.baseline, slips, tolerance=0.0002)


def check_rational_gain(answer, women, colleague):
    result = cap(women, colleague)
    shares = women[TARGET].value_counts(normalize=True)
    constant, best = shares.max(), np.mean([best_guess(women, one) for one in colleague])
    slips = {
        "This is the share of right answers; subtract what the best constant reaches.": best,
        "This subtracts a draw; without the release, the best answer is a constant.": best - (shares**2).sum(),
        "This is CAP, a draw in the class, minus the constant; take the most frequent occupation instead of a draw.": (
            result.attack - constant
        ),
        "This is the first dataset alone; average over all five.": best_guess(women, colleague[0]) - constant,
        "The keys are age and education here, not the family.": (
            np.mean([best_guess(women, one, KNOWN) for one in colleague]) - constant
        ),
        "This looks up the answers in the confidential file; the intruder has the synthetic files.": (
            best_guess(women, women) - constant
        ),
    }
    require_number(answer, best - constant, slips, tolerance=0.0002)


def check_my_release(answer, number, least=1):
    settings = {
        "dataset": "affairs",
        "n": 5000,
        "class": number,
        "known": KNOWN,
        "synthesized": SYNTHESIZED,
        "m": 5,
        "most_as_is": 0,
        "most_risk": 75,
        "most_record_risk": 0.3,
        "keeps": [{"group": "age", "outcome": "educ", "most_error": 0.3}],
    }
    require_property(protected_release(answer, settings), least)
