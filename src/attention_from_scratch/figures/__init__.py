"""One function a figure: records in, a Matplotlib figure with its alt text out."""
