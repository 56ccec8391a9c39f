"""Classes of CPU, as far as rounding goes.

Kernels add in an order that follows how wide the CPU's vectors are. Arithmetic moves by its last digits from
class to class. A training amplifies that: after enough steps the same seed has become another model, as if it
had been another seed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

_VECTORS = ("AVX512", "AVX2", "SVE", "ASIMD", "VSX")  # of each family the widest first


def widest_vectors(features: Iterable[str]) -> str:
    """The widest kind of vectors among a CPU's features; empty where there is none that we know."""
    names = tuple(features)
    return next((kind for kind in _VECTORS if any(name.startswith(kind) for name in names)), "")


def class_of(environment: Mapping[str, Any]) -> str:
    """The class of the CPU that an environment describes, such as `x86_64 AVX2`; empty of an empty one."""
    if not environment:
        return ""
    return f"{environment['machine']} {widest_vectors(environment['cpu_features'])}".strip()


def is_another(known: str, environment: Mapping[str, Any]) -> bool:
    """Whether an environment is of another class than a known one; not where either is unknown."""
    here = class_of(environment)
    return bool(known and here) and known != here
