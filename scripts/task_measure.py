"""pytask finds here what is stale: long runs, experiments, figures."""

from measured.workflow import tasks

globals().update(tasks())
