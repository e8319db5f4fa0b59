"""Disclosure risk of files larger than memory, computed by Dask.

The functions read and write Parquet files and also run on several machines. They have the same names, arguments and
results as the functions in memory, but they use record ids instead of the order of rows. Only this package needs the
extra ``synthlab-sdc[scale]``.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
