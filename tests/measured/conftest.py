"""The sample project, measured and accepted once a session, copied for each test that harms it."""

import pytest

from samples import copy, make_accepted


@pytest.fixture(scope="session")
def accepted(tmp_path_factory):
    return make_accepted(tmp_path_factory.mktemp("accepted") / "dice")


@pytest.fixture
def sample(accepted, tmp_path):
    """A copy of the accepted sample, to be harmed."""
    return copy(accepted.root, tmp_path / "dice")
