"""Simulated survey of households with their members."""

from __future__ import annotations

from synthlab.datasets._entry import DataFile, Entry, codes, named, number, stand_in, whole, with_missing

HOUSEHOLDS = Entry(
    name="households",
    title="Simulated survey of 4,000 households and their members",
    known=("region", "sex", "age"),
    sensitive=("income",),
    unit="persons",
    variables={
        "hhid": whole("number of the household"),
        "region": named("region of the household", ("east", "islands", "north", "south", "west")),
        "tenure": named("tenure of the dwelling", ("free", "owner", "tenant")),
        "hhsize": whole("number of members of the household"),
        "weight": number("survey weight of the household: number of households that it represents"),
        "relation": named("relation to the head of the household", ("child", "head", "other", "parent", "partner")),
        "sex": named("sex", ("female", "male")),
        "age": whole("age in years"),
        "educ": codes("education: 0 still in school, 1 primary, 2 secondary, 3 vocational, 4 university", *range(5)),
        "status": named("main activity", ("not working", "retired", "school", "working")),
        "income": with_missing(number("personal income per month")),
    },
    versions=(
        stand_in(
            rows=8750,
            source="data/make_households.py, seed 20260612",
            files=(
                DataFile(
                    "households_simulated.csv", "10a556e2ee3c109a6234d941a97dd8e5e4ea6736478bbb5fa8b40e3e4151b6d4"
                ),
            ),
            notes="Simulated, no real survey. The members of a household are in random order. Every household has one head and at "
            "most one partner. Couples are close in age, parents are 18 to 45 years older than their children, and "
            "education and incomes are related within households. 4% of the incomes of adults are missing.",
        ),
    ),
)
