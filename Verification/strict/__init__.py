"""An independent, strict APNs that plays faults to the client. Command line: scripts/strict-client.sh."""
