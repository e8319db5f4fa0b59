"""Risk of files larger than memory, and on more than one machine: from Parquet to Parquet, computed by Dask.

The functions have the names, arguments and answers of those in memory, with record ids in place of the order of rows. They
need the extra ``synthlab-sdc[scale]``; nothing else does.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
