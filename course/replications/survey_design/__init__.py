"""Coverage of intervals from synthetic data of surveys with an informative design."""

from replications.survey_design.study import STUDY, SurveyDesignResult, recorded, run, summary

__all__ = ["STUDY", "SurveyDesignResult", "recorded", "run", "summary"]
