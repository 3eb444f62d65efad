"""Outside data: reading it, and the party-space computation."""
