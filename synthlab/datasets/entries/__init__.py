"""The datasets, one file a source; `synthlab.datasets._registry` lists them."""
