"""pytask finds here what is stale: long runs, experiments, figures."""

from pathlib import Path
from typing import Annotated

from pytask import Product, task

from measured.making.workflow import Job, perform, stale_jobs


def as_task(job: Job) -> None:
    """Declare one stale job; the function is local, so that workers receive it and need not import this."""

    @task(id=job.name)
    def task_make(
        call: tuple = job.call,
        after: tuple[Path, ...] = job.after,
        makes: Annotated[tuple[Path, ...], Product] = job.makes,
    ) -> None:
        perform(*call)


for stale in stale_jobs():
    as_task(stale)
