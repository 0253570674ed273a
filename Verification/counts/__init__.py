"""Counts instructions and allocations of single steps. Command line: scripts/counts.sh."""
