"""The gate: every record against its stored regression."""

from measured.gate.drift_test import test_record_stands_where_it_stood  # noqa: F401
