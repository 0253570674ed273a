"""Holds the alert rules and the dashboard against the pages and each other. scripts/lint.sh and scripts/alerts.sh use it."""
