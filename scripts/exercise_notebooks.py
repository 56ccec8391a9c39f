"""An MkDocs hook: publishes each exercise as a notebook that runs by itself."""

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

from attention_from_scratch.exercises.notebook import published


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the notebooks to the site's files, so that links to them are checked like any other."""
    for path, text in published():
        files.append(File.generated(config, path, content=text))
    return files
