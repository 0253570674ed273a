"""The parts of the tests, run side by side: most of each is waiting. scripts/test.sh uses it."""
