"""A module that is imported when something of it is asked for, not while tests are collected.

TensorFlow takes seconds to import, and each process that tests collects every file.
"""

from __future__ import annotations

import importlib
from typing import Any


class WhenUsed:
    """Stands for a module of that name.

    Args:
        name: as it is imported.
    """

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        if attribute.startswith("_"):  # whoever looks for tests asks each name whether it is one
            raise AttributeError(attribute)
        return getattr(importlib.import_module(self._name), attribute)
