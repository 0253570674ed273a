"""What was issued, pushed, recorded and pruned, and whether that may be so. It shares no code with the product."""
