"""Brokers, stores and disks, for all cases or for one alone."""
