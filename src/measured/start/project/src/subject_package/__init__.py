"""Subject Title: the ideas that the site is about."""
