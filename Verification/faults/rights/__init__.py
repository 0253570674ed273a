"""How little each command may be allowed: the table of docs, users that have nothing else, and what needs each right."""
