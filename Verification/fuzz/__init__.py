"""What scripts/fuzz.sh needs besides the package's own sources."""
