"""Dask's own log, of which people who build need nothing: what goes wrong is told once, in our words."""

from __future__ import annotations

import logging


def silence() -> None:
    """Once Dask has been imported: it sets its levels then."""
    for name in ("distributed", *logging.root.manager.loggerDict):
        if name.partition(".")[0] in ("distributed", "tornado", "asyncio"):
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)
