"""The matching kernel: encoded match inputs and range counting."""
