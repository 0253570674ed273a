"""Measures the whole pipeline and parts of it, and accounts for every record. Command line: scripts/benchmark.sh."""
