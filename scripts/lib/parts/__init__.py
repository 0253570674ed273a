"""The parts of the tests, run side by side: most of each is waiting. scripts/test.sh and .ci/run use it."""
