"""Every scenario, in the order in which they run."""
# ruff: noqa: F401, I001

from strict.scenarios import streams
from strict.scenarios import goaways
from strict.scenarios import resets
from strict.scenarios import silence
from strict.scenarios import windows
from strict.scenarios import refusals
from strict.scenarios import poison
from strict.scenarios import floods
from strict.scenarios import extremes
from strict.scenarios import disasters
from strict.fcm import scenarios as fcm
from strict.registry import SCENARIOS
