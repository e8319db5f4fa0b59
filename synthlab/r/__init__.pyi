from . import gamlss_dist as gamlss_dist
from .convert import (
    from_r as from_r,
    to_r as to_r,
)
from .identification_risk_calculation import identification_risk as identification_risk
from .magic import load_ipython_extension as load_ipython_extension
from .reference_results import (
    Reference as Reference,
    reference as reference,
)
from .rpy2_converter import converter as converter
from .session import (
    RStatus as RStatus,
    probe as probe,
    require as require,
)
from .survey import (
    from_svydesign as from_svydesign,
    to_svydesign as to_svydesign,
)
from .synthpop import (
    from_synds as from_synds,
    to_synds as to_synds,
)
