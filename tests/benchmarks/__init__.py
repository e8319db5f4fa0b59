"""Speed, shown as ratios within one run; never a timed test."""
