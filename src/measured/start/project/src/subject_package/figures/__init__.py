"""What is drawn, from records alone: a figure never measures."""
