"""The sample project, measured and accepted once, copied for each test that harms it."""

import pytest
from filelock import FileLock

from samples import Sample, copy, make_accepted


@pytest.fixture(scope="session")
def accepted(tmp_path_factory, worker_id):
    """Made once for all processes that test at the same time: whoever comes first makes it, others wait."""
    folder = tmp_path_factory.getbasetemp()
    folder = folder if worker_id == "master" else folder.parent
    root = folder / "accepted" / "dice"
    with FileLock(folder / "accepted.lock"):
        if not (folder / "accepted.whole").exists():
            make_accepted(root)
            (folder / "accepted.whole").touch()
    return Sample(root)


@pytest.fixture
def sample(accepted, tmp_path):
    """A copy of the accepted sample, to be harmed."""
    return copy(accepted.root, tmp_path / "dice")
