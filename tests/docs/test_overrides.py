"""The theme's templates that this site replaces."""

from pathlib import Path
from types import SimpleNamespace

import material
from jinja2 import Environment, FileSystemLoader

OVERRIDES = Path(__file__).resolve().parents[2] / "docs" / "overrides"
THEME = Path(material.__file__).parent / "templates"


def test_the_link_to_the_repository_asks_its_host_for_nothing():
    """Material's script fetches what stands in `data-md-component="source"` from the host's interface."""
    environment = Environment(loader=FileSystemLoader([OVERRIDES, THEME]), autoescape=True)
    config = SimpleNamespace(
        repo_url="https://example.org/a/b",
        repo_name="a/b",
        theme=SimpleNamespace(icon=SimpleNamespace(repo=None)),
    )
    link = environment.get_template("partials/source.html").render(config=config, lang=SimpleNamespace(t=str))
    assert 'href="https://example.org/a/b"' in link
    assert "a/b" in link
    assert "data-md-component" not in link
