"""Fault cases for the whole pipeline, and an oracle that shares no code with the product.

Command line: scripts/faults.sh. How to write a case: cases/__init__.py.
"""
