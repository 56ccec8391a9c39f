"""What one says: measurement, experiment, claim, record, figure."""
