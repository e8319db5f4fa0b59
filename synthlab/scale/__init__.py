"""Disclosure risk of files larger than memory.

The functions divide Parquet or CSV files into partitions with the same known values, apply the functions in memory to each
partition, and add the results. DuckDB divides the files on one machine, and the workers of Dask on a cluster. The functions
have the same names, arguments and results as the functions in memory, but they use record ids instead of the order of rows.
Only this package needs the extra ``synthlab-sdc[scale]``.
"""

from synthlab._lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
