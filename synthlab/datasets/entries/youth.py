"""Survey of Youth in Custody 1987."""

from __future__ import annotations

from synthlab.datasets._entry import (
    PUBLIC_DOMAIN,
    DataFile,
    Entry,
    Version,
    codes,
    levels,
    number,
    stand_in,
    whole,
    with_missing,
)

YES_NO = "1 yes, 2 no"

EARLIER = "1 arrested before for {}, 0 not"

YOUTHS = Entry(
    name="youths",
    title="Survey of Youth in Custody 1987, 2,621 youths in 50 facilities",
    known=("ethnicty",),
    sensitive=("facility", "race"),
    variables={
        "stratum": levels("sampling stratum; 6 to 16 are one facility each, which represents itself", 16),
        "psu": whole("primary sampling unit: the facility in strata 1 to 5, else the number of the youth"),
        "facility": codes("facility", *(f for f in range(1, 53) if f not in (14, 28))),
        "facsize": whole("number of eligible youths in the facility; 999 not known"),
        "finalwt": whole("survey weight: number of youths in custody whom this youth represents"),
        "randgrp": levels("random group, for variance estimation", 7),
        "age": whole("age in years"),
        "race": with_missing(
            levels("1 White, 2 Black, 3 Asian or Pacific Islander, 4 American Indian or Alaska native, 5 other", 5)
        ),
        "ethnicty": with_missing(levels("1 Hispanic, 2 not", 2)),
        "educ": whole("highest grade before custody, 0 to 12; 13 GED, 14 other"),
        "gender": levels("1 male, 2 female", 2),
        "livewith": with_missing(
            levels(
                "grew up mostly with: 1 mother, 2 father, 3 both, 4 grandparents, 5 other relatives, 6 friends, 7 foster "
                "home, 8 agency or institution, 9 someone else",
                9,
            )
        ),
        "famtime": with_missing(levels(f"someone of the family has been in jail or prison: {YES_NO}", 2)),
        "crimtype": with_missing(
            levels("most serious current offense: 1 violent, 2 property, 3 drug, 4 public order, 5 juvenile status", 5)
        ),
        "everviol": codes("ever on probation or committed for violence: 1 yes, 0 no", 0, 1),
        "numarr": with_missing(number("times arrested")),
        "probtn": with_missing(number("times on probation")),
        "corrinst": with_missing(number("earlier commitments to an institution")),
        "evertime": with_missing(levels(f"served time before: {YES_NO}", 2)),
        "prviol": codes(EARLIER.format("a violent offense"), 0, 1),
        "prprop": codes(EARLIER.format("a property offense"), 0, 1),
        "prdrug": codes(EARLIER.format("a drug offense"), 0, 1),
        "prpub": codes(EARLIER.format("a public-order offense"), 0, 1),
        "prjuv": codes(EARLIER.format("a juvenile-status offense"), 0, 1),
        "agefirst": with_missing(number("age at first arrest, years")),
        "usewepn": with_missing(levels(f"used a weapon in the incident: {YES_NO}", 2)),
        "alcuse": with_missing(levels("drank alcohol: 1 in the year before, 2 not in that year, 3 never", 3)),
        "everdrug": with_missing(codes("ever used illegal drugs: 1 yes, 0 no", 0, 1)),
    },
    versions=(
        Version(
            name="real",
            kind="real",
            rows=2_621,
            source="U.S. Bureau of Justice Statistics, Survey of Youth in Custody, 1987, as in S. Lohr, Sampling: Design and "
            "Analysis; data set syc of the R package SDAResources 0.1.1, written as CSV, blank where missing",
            licence=f"survey: {PUBLIC_DOMAIN}; the R package is GPL-2 or GPL-3, so the file is not shipped",
            files=(DataFile("syc.csv", "ba5824fa2f556f34d64891c055d1cabb2e52ec13550ed906b7b6478ae965d029"),),
            notes="265 answers of 199 youths are missing.",
        ),
        stand_in(
            rows=2_621,
            source="data/make_youths.py, seed 19871231",
            files=(
                DataFile("youths_simulated.csv", "56aad0f01c37f1e871fa2d4f7107d38d52aa844baace73fd122b4ea881482c6e"),
            ),
            notes="A stand-in with strata, facilities and shares close to the survey, and the same number of missing answers. "
            "Other youths are unique in race and ethnicity within a facility.",
        ),
    ),
)
