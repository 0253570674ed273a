"""What MongoDB takes for the delivery log. Command line: scripts/index-economy.sh."""
