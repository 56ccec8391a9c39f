"""An MkDocs hook: publishes the trained models of the page, for readers to run in their browsers."""

import tempfile
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files

from attention_from_scratch.export import export
from measured.errors import MeasuredError
from measured.making.running import read_run

EXPERIMENT = "induction"
MODELS = {"two-blocks": "reported.blocks2.seed0", "one-block": "reported.blocks1.seed0"}


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add weights and manifest of each model, made from the arrays that its training stored."""
    project = config.plugins["measured"].project
    experiment = project.declared[EXPERIMENT]
    runs = {run.name: run for run in experiment.runs}
    with tempfile.TemporaryDirectory() as folder:
        for name, run in MODELS.items():
            try:
                arrays = read_run(project, experiment, runs[run])
            except MeasuredError as error:
                raise PluginError(str(error)) from None
            for path in export(arrays, Path(folder), name):
                where = f"models/{EXPERIMENT}/{path.name}"
                files.append(File.generated(config, where, content=path.read_bytes()))
    return files
