"""The sample project, measured and accepted once, copied for each test that harms it."""

from pathlib import Path

import pytest
from filelock import FileLock

from samples import Sample, copy, make_accepted


@pytest.fixture(scope="session")
def accepted(tmp_path_factory, worker_id):
    """A sample that was measured, accepted and built."""
    return once("accepted", make_accepted, tmp_path_factory, worker_id)


@pytest.fixture(scope="session")
def built_quick(accepted, tmp_path_factory, worker_id):
    """The accepted sample after a quick build, too."""

    def make(root):
        result = copy(accepted.root, root).build("--quick")
        assert result.returncode == 0, result.stdout

    return once("quick", make, tmp_path_factory, worker_id)


def once(name: str, make, tmp_path_factory, worker_id: str) -> Sample:
    """Made once for all processes that test at the same time: whoever comes first makes it, others wait."""
    folder: Path = tmp_path_factory.getbasetemp()
    folder = folder if worker_id == "master" else folder.parent
    root = folder / name / "dice"
    with FileLock(folder / f"{name}.lock"):
        if not (folder / f"{name}.whole").exists():
            make(root)
            (folder / f"{name}.whole").touch()
    return Sample(root)


@pytest.fixture
def sample(accepted, tmp_path):
    """A copy of the accepted sample, to be harmed."""
    return copy(accepted.root, tmp_path / "dice")


@pytest.fixture
def quick(built_quick, tmp_path):
    """A copy of the sample that was built quickly, too, to be harmed."""
    return copy(built_quick.root, tmp_path / "dice")
