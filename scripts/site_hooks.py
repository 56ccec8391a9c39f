"""What this site has besides pages, and its own steps on them (see `measured.site.hooks`).

Files: each exercise as a notebook that runs by itself, the trained models that readers run in their
browsers, and for whoever makes a site of their own the engine's wheel and reference. Steps: the theme's
script waits for its reader, a dark machine is dark from the first line on, and the faces that a page surely
shows are asked for before its style sheet is read.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

from attention_from_scratch.exercises.notebook import published
from attention_from_scratch.export import export
from measured import reference
from measured.making.running import read_run
from measured.project import Project
from measured.site.finish_page import Page
from measured.start import wheel

EXPERIMENT = "induction"
MODELS = {"two-blocks": "reported.blocks2.seed0", "one-block": "reported.blocks1.seed0"}

PATIENT = "assets/javascripts/patient.js"
SCRIPTS = (PATIENT,)

# Before the first line is painted: scripts run, and whoever has chosen no scheme gets the machine's. The
# theme's own script says so, too, but comes later.
EARLY = (
    'document.documentElement.classList.replace("no-js","js");__md_get("__palette")||'
    'matchMedia("(prefers-color-scheme: dark)").matches&&'
    'document.body.setAttribute("data-md-color-scheme","slate")'
)
# The faces that this page surely shows (not those of a word in a closed fold), asked for before the style
# sheet is read, so that lines break once. By a script, which runs on the page that is opened and no more:
# instant navigation would ask for a preload of the next page again, in vain. The face of code is as wide as
# what stands in for it.
PRELOAD = (
    'const{folder,faces}=document.currentScript.dataset;for(const face of faces.split(" "))'
    'document.head.append(Object.assign(document.createElement("link"),{rel:"preload",as:"font",'
    'type:"font/woff2",crossOrigin:"",href:`${folder}${face}.woff2`}))'
)
PRELOAD = f"{{{PRELOAD}}}"
INLINE = (EARLY, PRELOAD)
FACES = ["source-serif-4-400-normal", "source-serif-4-600-normal"]


def files(project: Project) -> Iterator[tuple[str, str | bytes]]:
    """Exercises, and weights and manifest of each model, made from the arrays that its training stored."""
    yield from published()
    engine = wheel.engine()
    yield f"own/{engine.name}", engine.data
    yield "own/reference.md", reference.page()
    yield "own/data.md", reference.data_page()
    experiment = project.declared[EXPERIMENT]
    runs = {run.name: run for run in experiment.runs}
    with tempfile.TemporaryDirectory() as folder:
        for name, run in MODELS.items():
            for path in export(read_run(project, experiment, runs[run]), Path(folder), name):
                yield f"models/{EXPERIMENT}/{path.name}", path.read_bytes()


def finish(page: Page) -> int:
    """All steps; how much they changed."""
    bundle = page.tree.css_first('script[src*="assets/javascripts/bundle."]')
    header = page.tree.css_first("header.md-header")
    sheet = page.tree.css_first('link[rel="stylesheet"]')
    if bundle is None or header is None or sheet is None:
        return 0  # a listing of code, which the theme is not around
    address = bundle.attributes["src"] or ""
    bundle.attrs["data-bundle"] = address
    bundle.attrs["src"] = page.way_to(PATIENT)
    bundle.insert_before(page.token(f'<link rel="prefetch" href="{address}" as="script">'))
    header.insert_before(page.token(f"<script>{EARLY}</script>"))
    folder = page.way_to("assets/vendor/")
    faces = " ".join(faces_of(page))
    sheet.insert_before(page.token(f'<script data-folder="{folder}" data-faces="{faces}">{PRELOAD}</script>'))
    return 1


def faces_of(page: Page) -> list[str]:
    """The faces that a reader sees before anything is opened."""
    article = page.article
    shown = page.written(article.html or "").partition("<details")[0] if article is not None else ""
    italic = ["source-serif-4-400-italic"] if shown.count("<em>") > 2 else []
    maths = ["stix-two-math-400-normal"] if "<math" in shown else []
    return [*FACES, *italic, *maths]
