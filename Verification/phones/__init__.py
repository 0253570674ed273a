"""Plays the phones that simulators' pushes arrive on; scripts/phones.sh starts it."""
