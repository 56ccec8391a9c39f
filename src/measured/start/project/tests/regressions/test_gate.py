"""The gate through pytest: every record against its stored values."""

from measured.gate.drift_test import pytest_generate_tests, test_record_stands_where_it_stood  # noqa: F401
