"""Results that travel: runs as one archive and an index, taken over, looked at, and measured again."""
