"""A page woven and rendered in memory, as a reader gets it."""

from __future__ import annotations

import lxml.html
import markdown

from measured.weaving.renderer import Renderer
from weaving import weave

USUAL = Renderer()


def html_of(text, **options):
    return render(weave(text, **options).markdown)


def render(text):
    extensions, settings = list(USUAL.extensions), dict(USUAL.settings)
    return markdown.Markdown(extensions=extensions, extension_configs=settings).convert(text)


def tree_of(text, **options):
    return lxml.html.fragment_fromstring(html_of(text, **options) or "<p></p>", create_parent="div")


def text_of(text, **options):
    """What a reader reads, in one line."""
    return " ".join(tree_of(text, **options).text_content().split())
