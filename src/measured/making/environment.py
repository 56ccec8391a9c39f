"""What a record says about the machine and the software that made it."""

from __future__ import annotations

import os
import platform
from importlib.metadata import version
from typing import Any

THREADS = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "TF_NUM_INTRAOP_THREADS": "1",
    "TF_NUM_INTEROP_THREADS": "1",
}

# One thread a process, and no fused kernels whose order of summation follows the CPU: the same bytes
# each time. Parallelism comes from processes.
DETERMINISM = {
    **THREADS,
    "TF_ENABLE_ONEDNN_OPTS": "0",
    "TF_CPP_MIN_LOG_LEVEL": "3",
    "CUDA_VISIBLE_DEVICES": "-1",
    "KERAS_BACKEND": "tensorflow",
    "PYTHONHASHSEED": "0",
}


def quiet_and_deterministic() -> None:
    """Set what numerical libraries read when they are first imported; a caller's own setting wins."""
    for name, value in DETERMINISM.items():
        os.environ.setdefault(name, value)


def describe(distributions: tuple[str, ...]) -> dict[str, Any]:
    """Python, versions, CPU class and thread settings; nothing that changes from run to run."""
    return {
        "python": platform.python_version(),
        "system": platform.system(),
        "machine": platform.machine(),
        "cpu_features": _cpu_features(),
        "versions": {name: version(name) for name in distributions},
        "settings": {name: os.environ.get(name, "") for name in sorted(DETERMINISM)},
    }


def _cpu_features() -> list[str]:
    """The vector extensions that NumPy may use here: the CPU's class, as far as numbers go."""
    from numpy._core._multiarray_umath import __cpu_features__

    return sorted(name for name, present in __cpu_features__.items() if present)
