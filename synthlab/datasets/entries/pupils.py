"""School pupils, the cell sizes of the English School Census."""

from __future__ import annotations

from synthlab.datasets import _generated, _user_files
from synthlab.datasets._entry import OURS, DataFile, Entry, Version, codes, named, whole
from synthlab.datasets.esc import ESC_LEVELS

ESC = Entry(
    name="esc",
    title="Simulated table of school pupils with the cell sizes of the substitute of the English School Census",
    known=("GEOGRAPHY", "ETHNICITY", "SEX", "AGE", "LANGUAGE"),
    sensitive=("count",),
    unit="occupied cells",
    variables={
        "GEOGRAPHY": named("local authority of the pupil, 326 of them, by number", ESC_LEVELS["GEOGRAPHY"]),
        "ETHNICITY": named("ethnicity, 20 levels", ESC_LEVELS["ETHNICITY"]),
        "SEX": named("sex, 4 levels", ESC_LEVELS["SEX"]),
        "AGE": codes("age in years", *range(19)),
        "LANGUAGE": named("first language, 7 levels", ESC_LEVELS["LANGUAGE"]),
        "count": whole("number of pupils in the cell; a cell that is not in the frame is empty"),
    },
    versions=(
        Version(
            name="simulated",
            kind="simulated",
            rows=333_660,
            source="synthlab/datasets/esc.py, seed 20220711; J. Jackson, R. Mitra, B. Francis & I. Dove, The appeal of the "
            "gamma family distribution to protect the confidentiality of contingency tables, tables 1 and 2",
            licence=OURS,
            make=_generated.esc_table,
            sha256="09b63b082455dbf79d1f55329eb8746bfd28a0ddae4cfd6513db5cef82c7badb",
            notes="One row per occupied cell of 326 x 20 x 4 x 19 x 7 = 3,468,640; synthlab.counts.Table.from_frame(frame, "
            'count="count") restores the empty cells. The numbers of cells of size 0, 1, ..., 10 and above equal the published '
            "numbers; which cells they are, the counts above 10, and the names of the levels were chosen here.",
        ),
        Version(
            name="archive",
            kind="real",
            rows=333_660,
            source="S. Blanchard, J. E. Jackson, R. Mitra, B. J. Francis & I. Dove (2022), A constructed English School Census "
            "substitute, Lancaster University",
            licence="as stated by the archive",
            files=(DataFile("esc_rep.csv", ""),),
            recode=_user_files.school_census,
            title="Table of school pupils, the substitute of the English School Census",
            bring="the substitute of the English School Census of Blanchard et al. (2022), Lancaster University, as esc_rep.csv "
            "with columns GEOGRAPHY, ETHNICITY, SEX, AGE, LANGUAGE, one row per pupil, or one row per cell with its COUNT",
            notes="The file is checked against tables 1 and 2 of the paper.",
        ),
    ),
)
