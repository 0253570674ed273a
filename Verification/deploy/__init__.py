"""Holds what is in deploy/ for containers against its schemas and against the product. scripts/deploy.sh uses it."""
