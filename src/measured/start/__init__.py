"""The beginning of a project: a small, complete site, and what one adds to it by name."""
