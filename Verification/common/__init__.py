"""What several of the verification programs need."""
