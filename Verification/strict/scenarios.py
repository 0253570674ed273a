"""Every scenario, in the order in which they run."""
# ruff: noqa: F401, I001

from strict import streams
from strict import goaways
from strict import resets
from strict import silence
from strict import windows
from strict import refusals
from strict import poison
from strict import floods
from strict import extremes
from strict import disasters
from strict.registry import SCENARIOS
