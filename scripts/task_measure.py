"""pytask finds here what is stale: long runs, experiments, figures."""

from pathlib import Path
from typing import Annotated

from pytask import Product, task

from measured.workflow import perform, stale_jobs

for job in stale_jobs():

    @task(id=job.name)
    def task_make(
        call: tuple = job.call,
        after: tuple[Path, ...] = job.after,
        makes: Annotated[tuple[Path, ...], Product] = job.makes,
    ) -> None:
        """Make one stale thing in a process of its own."""
        perform(*call)
