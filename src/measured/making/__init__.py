"""What is made and whether it is still good: keys, environments, runs, the workflow."""
