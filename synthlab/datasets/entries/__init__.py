"""Registry entries of the datasets, one file per source."""
