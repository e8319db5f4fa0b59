"""Answers to the exercise of lecture 1."""

from __future__ import annotations

from tests.course.answers import right, wrong


@right("01.uniques")
def counts_of_combinations(frame, known):
    return (frame[known].value_counts(dropna=False) == 1).sum()


@right("01.uniques")
def sizes_of_groups(frame, known):
    return (frame.groupby(known, dropna=False).size() == 1).sum()


@right("01.uniques")
def loop_over_people(frame, known):
    rows = [tuple(map(str, row)) for row in frame[known].to_numpy()]
    return sum(rows.count(row) == 1 for row in rows)


@wrong("01.uniques")
def distinct_values(frame, known):
    return frame[known].nunique().sum()


@wrong("01.uniques")
def groups_of_at_most_two(frame, known):
    return (frame.groupby(known, dropna=False)[known[0]].transform("size") <= 2).sum()


@wrong("01.uniques")
def series_instead_of_a_number(frame, known):
    return frame.groupby(known, dropna=False).size() == 1


@wrong("01.uniques")
def without_return(frame, known):
    frame.groupby(known)
