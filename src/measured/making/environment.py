"""The process in which work is done: what is set before NumPy is imported, checked, and written down."""

from __future__ import annotations

import os
import platform
import site
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from measured.errors import MeasuredError
from measured.making.fingerprint import installed

# One thread a process, and no fused kernels whose order of summation follows the CPU: the same bytes
# each time. Parallelism comes from processes.
SETTINGS = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "TF_NUM_INTRAOP_THREADS": "1",
    "TF_NUM_INTEROP_THREADS": "1",
    "TF_ENABLE_ONEDNN_OPTS": "0",
    "TF_CPP_MIN_LOG_LEVEL": "3",
    "CUDA_VISIBLE_DEVICES": "-1",
    "KERAS_BACKEND": "tensorflow",
    "PYTHONHASHSEED": "0",
}

# What a process needs of its caller's environment to start at all; nothing else of it reaches a number.
PASSED_ON = (
    "PATH",
    "PYTHONPATH",
    "VIRTUAL_ENV",
    "LD_LIBRARY_PATH",
    "DYLD_LIBRARY_PATH",
    "SYSTEMROOT",
    "TMPDIR",
    "TEMP",
    "TMP",
)


def of_worker(home: Path) -> dict[str, str]:
    """The whole environment of a process that works.

    Args:
        home: a folder without anybody's settings; what libraries keep for themselves goes there.
    """
    passed = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
    compiled = {"PYTHONDONTWRITEBYTECODE": "1"} if sys.dont_write_bytecode else {}
    return {
        **passed,
        **compiled,
        **SETTINGS,
        "HOME": str(home),
        "USERPROFILE": str(home),
        "PYTHONUSERBASE": site.getuserbase(),  # where a user's own packages are, whatever HOME is
        "LANG": "C.UTF-8",
        "TZ": "UTC",
    }


def set_here() -> None:
    """Set them in this process, for scripts that train by themselves; what the caller has set stays."""
    for name, value in SETTINGS.items():
        os.environ.setdefault(name, value)


def refuse_other_threads() -> None:
    """Refuse to work with other threads than the record will say.

    Raises:
        MeasuredError: a library of numerics has more than one; names it.
    """
    from threadpoolctl import threadpool_info

    pools = {pool["filepath"]: pool["num_threads"] for pool in threadpool_info()}
    tensorflow = sys.modules.get("tensorflow")
    if tensorflow is not None:
        threading = tensorflow.config.threading
        pools["tensorflow, in one operation"] = threading.get_intra_op_parallelism_threads() or 1
        pools["tensorflow, between operations"] = threading.get_inter_op_parallelism_threads() or 1
    several = [f"{Path(name).name}: {count}" for name, count in pools.items() if count != 1]
    if several or any(os.environ.get(name) != value for name, value in SETTINGS.items()):
        raise MeasuredError(
            f"this process works with other threads or settings than its record says ({', '.join(several)})",
            expected="one thread a process, set before NumPy is imported",
            mend="take out what sets threads or the environment; parallelism comes from processes",
        )


def describe(distributions: tuple[str, ...]) -> dict[str, Any]:
    """Python, versions, CPU class and settings of this process; nothing that changes from run to run."""
    return {
        "python": platform.python_version(),
        "system": platform.system(),
        "machine": platform.machine(),
        "cpu_features": _cpu_features(),
        "versions": {name: installed(name) for name in distributions},
        "settings": {name: os.environ.get(name, "") for name in sorted(SETTINGS)},
    }


def settings_in_words(settings: Mapping[str, str] = SETTINGS) -> str:
    """Settings as one text, to be hashed."""
    return " ".join(f"{name}={value}" for name, value in sorted(settings.items()))


def _cpu_features() -> list[str]:
    """The vector extensions that NumPy may use here: the CPU's class, as far as numbers go."""
    from numpy._core._multiarray_umath import __cpu_features__

    return sorted(name for name, present in __cpu_features__.items() if present)
