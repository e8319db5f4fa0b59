library(testthat)
library(synthlabr)

test_check("synthlabr")
