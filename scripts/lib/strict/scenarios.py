"""Every scenario, in the order in which they run."""

import streams  # noqa: F401
import goaways  # noqa: F401
import resets  # noqa: F401
import silence  # noqa: F401
import windows  # noqa: F401
import refusals  # noqa: F401
import poison  # noqa: F401
import floods  # noqa: F401
import extremes  # noqa: F401
import disasters  # noqa: F401
from registry import SCENARIOS  # noqa: F401
