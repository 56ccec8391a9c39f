"""What becomes of woven pages: generated files, the content policy, checks."""
