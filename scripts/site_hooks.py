"""What this site has besides pages, and its own steps on them (see `measured.site.hooks`).

Files: each exercise as a notebook that runs by itself, the trained models that readers run in their
browsers, how to cite the site, and for whoever makes a site of their own the engine's wheel and reference.
Steps: the theme's script waits for its reader, and search for who searches, a dark machine is dark from the
first line on, the faces that a page surely shows are asked for before its style sheet is read, whoever
opens a page as a file is told what to type, the footer says who wrote it, when, and under which licence,
queries, keys and values have one colour and one line in formulas and in code, a term is marked once a
section, and a page says how long it takes.
"""

from __future__ import annotations

import html
import json
import re
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

import yaml

from attention_from_scratch import speller_export, vision_export, watched
from attention_from_scratch.exercises.notebook import published
from attention_from_scratch.experiments import speller, speller_measures
from attention_from_scratch.experiments.explanation_runs import load_halves, split_of
from attention_from_scratch.export import export
from attention_from_scratch.tasks import spelling
from measured import keeping, reference
from measured.files import sha256_of_text
from measured.making.fingerprint import ENGINE, file_of
from measured.making.running import read_run, run_paths
from measured.project import Project
from measured.site import search_on_demand, theme_scripts
from measured.site.finish_page import Page
from measured.site.product import tree_of
from measured.start import wheel

DIGITS = "explanation"
EXPERIMENT = "induction"
WATCHED = "checkpoints"
MODELS = {"two-blocks": "reported.blocks2.seed0", "one-block": "reported.blocks1.seed0"}

PATIENT = "assets/javascripts/patient.js"
SCRIPTS = (PATIENT,)

# Before the first line is painted: scripts run, and whoever has chosen no scheme gets the machine's. The
# theme's own script says so, too, but comes later.
EARLY = (
    'document.documentElement.classList.replace("no-js","js");__md_get("__palette")||'
    'matchMedia("(prefers-color-scheme: dark)").matches&&'
    'document.body.setAttribute("data-md-color-scheme","slate");'
    'try{document.documentElement.classList.toggle("shows-sources",'
    'localStorage.getItem("measured:sources")==="on")}catch{}'
    'document.querySelector(".file-notice").hidden=location.protocol!=="file:"'
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
# What the theme could show and this site does not have: versions, annotations, tags, marks of state, facts
# of a repository (its address is no part of this project).
ABSENT = ("md-annotation", "md-source__fact", "md-status", "md-tag", "md-version")
# A browser that opens a page as a file follows links to folders, and refuses modules, data and search.
FILE_NOTICE = (
    '<aside class="file-notice" hidden><p><strong>This page was opened as a file.</strong> Links, sketches, '
    "cards and search need a server. In the project's folder type <code>nox -s view</code>; or, in the "
    "folder that holds <code>404.html</code>, <code>python3 -m http.server</code>, and open the address "
    "that it prints.</p></aside>"
)
FACES = ["source-serif-4-400-normal", "source-serif-4-600-normal"]

# On these pages a name of a query, a key or a value is marked wherever it stands in a formula or in code.
ROLES_ON = re.compile(r"(attention|transformer|cheatsheet|exercises/[^/]*)/index\.html")
ROLE_OF = {
    **dict.fromkeys(("query", "queries", "Q", "q", "W_Q"), "query"),
    **dict.fromkeys(("key", "keys", "K", "k", "W_K"), "key"),
    **dict.fromkeys(("value", "values", "V", "v", "W_V"), "value"),
}
# These have the ink of all code.
PLAIN_CODE = ",".join(f'.highlight span[class="{name}"]' for name in ("n", "nn", "nf", "nc", "w", "p", "o"))
# A width in words: as in formulas, where it can be told from code.
WIDTH = re.compile(r"(?<![\w-])d_(k|v|model)(?![\w-])")
IN_WORDS = "td, th, li, p, dt, dd, label"
NOT_WORDS = re.compile(r"(<(code|pre|svg|script|style)\b.*?</\2>|<[^>]*>)", re.DOTALL)
IN_FORMULAS = re.compile(r"(?<!</mi>)<mi>([QKVqkv])</mi>")  # not the index of d_k
WORDS_A_MINUTE = 180  # slower than a novel: there are formulas and figures
PICTURE_MINUTES = 1  # for each thing that one touches or answers


ROOT = Path(__file__).resolve().parents[1]


def citation() -> dict[str, str]:
    """Who wrote it, its title, version, licence and the date of the commit, from CITATION.cff and git."""
    told = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    command = ["git", "-C", str(ROOT), "log", "-1", "--format=%cs"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    names = [
        author.get("name") or f"{author['given-names']} {author['family-names']}"
        for author in told["authors"]
    ]
    return {
        "authors": " and ".join(names),
        "date": done.stdout.strip() if done.returncode == 0 else "",
        **{name: str(told[name]) for name in ("title", "version", "license")},
    }


CITATION = citation()
KEY = repr((CITATION, search_on_demand.PLACE, search_on_demand.waits("workers/search.js")))


def footer(page: Page) -> str:
    """Author, version and date, licence, and the way to the page on citing."""
    told = {name: html.escape(text) for name, text in CITATION.items()}
    dated = f", {told['date']}" if told["date"] else ""
    return (
        f"{told['authors']} · version {told['version']}{dated} · {told['license']} licence · "
        f'<a href="{page.way_to("cite/")}">How to cite</a>'
    )


def how_to_cite() -> str:
    """The page on citing, as Markdown."""
    told = CITATION
    year = told["date"][:4]
    bibtex = [
        "@misc{attention-from-scratch,",
        f"  title  = {{{told['title']}}},",
        f"  author = {{{{{told['authors']}}}}},",
        *([f"  year   = {{{year}}},"] if year else []),
        f"  note   = {{Version {told['version']}{', ' + told['date'] if told['date'] else ''}}},",
        "}",
    ]
    dated = f", {told['date']}" if told["date"] else ""
    return f"""\
---
title: How to cite
description: Author, version, date and licence of this site, and a reference in BibTeX.
search:
  exclude: true
---

# How to cite

{told["authors"]}: *{told["title"]}*. Version {told["version"]}{dated}. {told["license"]} licence.

```bibtex
{chr(10).join(bibtex)}
```

To cite a number, name its id, which stands on the list of [measurements](measurements.md), and the date
above: values are measured again with each build, and may move within their tolerance. The same as a file:
[CITATION.cff](CITATION.cff){{ download="" }}.
"""


def files(project: Project) -> Iterator[tuple[str, str | bytes]]:
    """Exercises, and weights and manifest of each model, made from the arrays that its training stored."""
    yield from published()
    yield search_on_demand.PLACE, search_on_demand.script(theme_scripts.templates_of("material"))
    engine = wheel.engine()
    yield f"own/{engine.name}", engine.data
    source = [tree_of(file_of(ENGINE).parent), version("griffe")]
    yield "own/reference.md", kept(project, "reference", source, reference.page)
    yield "own/data.md", reference.data_page()
    yield "cite.md", how_to_cite()
    yield "CITATION.cff", (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    experiment = project.declared[EXPERIMENT]
    runs = {run.name: run for run in experiment.runs}
    made = {
        name: run
        for name, run in MODELS.items()
        if all(p.exists() for p in run_paths(project, experiment, runs[run]))
    }
    with tempfile.TemporaryDirectory() as folder:
        for name, run in made.items():  # a preview before the first build has none
            for path in export(read_run(project, experiment, runs[run]), Path(folder), name):
                yield f"models/{EXPERIMENT}/{path.name}", path.read_bytes()
    yield from digits_files(project)
    yield from watched_training(project)
    for name, data in spellers(project).items():
        yield f"models/{speller.EXPERIMENT.name}/{name}", data


def watched_training(project: Project) -> Iterator[tuple[str, str | bytes]]:
    """The checkpoints of one training, and what they mean."""
    record = project.read_records().get(WATCHED)
    if record is None:
        return  # a preview before the first build has none
    data, manifest = watched.packed(record.arrays, record.parameters)
    text = json.dumps({"weights": f"{WATCHED}.bin", **manifest}, sort_keys=True)
    yield f"models/{EXPERIMENT}/{WATCHED}.bin", data
    yield f"models/{EXPERIMENT}/{WATCHED}.json", text + "\n"


def spellers(project: Project) -> dict[str, bytes]:
    """The files of the speller, from the arrays that its trainings stored."""
    experiment = project.declared[speller.EXPERIMENT.name]
    p, runs = experiment.settings(project.quick), experiment.runs_in(project.quick)
    if not all(path.exists() for run in runs for path in run_paths(project, experiment, run)):
        return {}  # a first look trains none: it would wait for them
    return speller_export.files(
        {run.name: read_run(project, experiment, run) for run in runs},
        held_out_words(project, p),
        levels=p["levels"],
        num_heads=speller_measures.HEADS_OF_QUERIES,
        licence=spelling.licence(p["version"]),
    )


def held_out_words(project: Project, p: Mapping[str, Any]) -> list[spelling.Word]:
    """The words to try: they follow from the hash that all words must have, and from the split."""
    code = [sha256_of_text(Path(module.__file__)) for module in (spelling, speller_measures)]
    settings = [p[name] for name in ("version", "sha256", "test", "validation", "split_seed")]
    found = kept(project, "held_out_words", [code, settings], lambda: speller_measures.test_words(p))
    return [spelling.Word(letters, tuple(map(tuple, listed))) for letters, listed in found]


def kept(project: Project, name: str, made_from: Any, make: Callable[[], Any]) -> Any:
    """Plain data that an earlier build has made from the same; to make them takes a second or so."""
    path = project.build / f"{name}.json"
    before = keeping.read(path)
    if isinstance(before, dict) and before.get("from") == made_from:
        return before["made"]
    made = make()
    keeping.write(path, {"from": made_from, "made": made})
    return made


def digits_files(project: Project) -> Iterator[tuple[str, bytes]]:
    """The vision transformer of the first seed, with test images to try it on."""
    experiment = project.declared[DIGITS]
    p = experiment.parameters
    seed = p["seeds"][0]
    run = next(run for run in experiment.runs if run.name == f"plain.seed{seed}")
    if not all(path.exists() for path in run_paths(project, experiment, run)):
        return  # a preview before the first build has none
    halves = load_halves(p["sha256"], p["split_seed"], split_of(seed))
    with tempfile.TemporaryDirectory() as folder:
        for path in vision_export.export(read_run(project, experiment, run), *halves, Path(folder)):
            yield f"models/{DIGITS}/{path.name}", path.read_bytes()


def finish(page: Page) -> int:
    """All steps; how much they changed."""
    bundle = page.tree.css_first('script[src*="assets/javascripts/bundle."]')
    header = page.tree.css_first("header.md-header")
    sheet = page.tree.css_first('link[rel="stylesheet"]')
    if bundle is None or header is None or sheet is None:
        return 0  # a listing of code, which the theme is not around
    address = bundle.attributes["src"] or ""
    if page.setting.templates == theme_scripts.templates_of("material"):
        address = page.way_to(search_on_demand.PLACE)
        settings = page.tree.css_first("script#__config")
        told = search_on_demand.waits(settings.text())
        page.put(settings, f'<script id="__config" type="application/json">{told}</script>')
    bundle.attrs["data-bundle"] = address
    bundle.attrs["src"] = page.way_to(PATIENT)
    header.insert_before(page.token(f"{FILE_NOTICE}<script>{EARLY}</script>"))
    about = page.tree.css_first(".md-copyright")
    if about is not None:
        page.put(about, f'<div class="md-copyright">{footer(page)} · {about.inner_html}</div>')
    folder = page.way_to("assets/vendor/")
    faces = " ".join(faces_of(page))
    sheet.insert_before(page.token(f'<script data-folder="{folder}" data-faces="{faces}">{PRELOAD}</script>'))
    mark_roles(page)
    unwrap_plain_code(page)
    explain_terms_once(page)
    lower_indices(page)
    tell_time(page)
    return 1


def mark_roles(page: Page) -> int:
    """Queries, keys and values in formulas and in code; how many."""
    if page.article is None or not ROLES_ON.fullmatch(page.path):
        return 0
    marked = 0
    for name in page.article.css(".highlight .n, .highlight .bp"):
        role = ROLE_OF.get(name.text())
        if role:
            name.attrs["class"] = f"n role-{role}"
            marked += 1
    page.rewrite(roles_in_formula)
    return marked


def unwrap_plain_code(page: Page) -> None:
    """Names in code that have no role and the blanks between them look like the code around them."""
    for element in page.article.css(PLAIN_CODE) if page.article is not None else ():
        element.unwrap()


def explain_terms_once(page: Page) -> None:
    """A term of the glossary is marked where a section first names it; a fold counts for itself."""
    if page.article is None:
        return
    seen: set[str] = set()
    for element in page.article.css("h2, abbr[title]"):
        if element.tag == "h2":
            seen = set()
            continue
        term = element.text().casefold()
        if term in seen:
            element.unwrap()
        elif not any(above.tag == "details" for above in ancestors(element)):
            seen.add(term)


def lower_indices(page: Page) -> None:
    """In words and in tables the widths d_k, d_v and d_model look as in formulas, their index lowered."""
    if page.article is None or not WIDTH.search(page.article.text()):
        return
    for element in page.article.css(IN_WORDS):
        told = element.inner_html or ""
        if not WIDTH.search(told) or any(inner != element for inner in element.css(IN_WORDS)):
            continue
        parts = NOT_WORDS.split(told)  # words, what is none, its tag's name if it has an end, words
        parts[::3] = [WIDTH.sub(r"<i>d</i><sub>\1</sub>", words) for words in parts[::3]]
        element.inner_html = "".join(part for place, part in enumerate(parts) if place % 3 != 2)


def ancestors(node: Any) -> Iterator[Any]:
    """What an element of a page stands in, the nearest first."""
    while (node := node.parent) is not None:
        yield node


def roles_in_formula(put: str) -> str:
    """A formula with its queries, keys and values marked; anything else as it is."""
    if "<math" not in put:
        return put
    return IN_FORMULAS.sub(lambda found: f'<mi class="role-{ROLE_OF[found[1]]}">{found[1]}</mi>', put)


def tell_time(page: Page) -> int:
    """How many minutes a page takes, where it says so: words not folded away, and what one touches."""
    places = page.tree.css(".reading-time")
    if not places or page.article is None:
        return 0
    folded = sum(len(fold.text().split()) for fold in page.article.css("details"))
    touched = len(page.article.css(".sketch, .predict, .quiz"))
    words = len(page.article.text().split()) - folded
    minutes = max(1, round(words / WORDS_A_MINUTE + touched * PICTURE_MINUTES))
    for place in places:
        place.inner_html = f"About {minutes} minutes."
    return len(places)


def faces_of(page: Page) -> list[str]:
    """The faces that a reader sees before anything is opened."""
    article = page.article
    shown = page.written(article.html or "").partition("<details")[0] if article is not None else ""
    italic = ["source-serif-4-400-italic"] if shown.count("<em>") > 2 else []
    maths = ["stix-two-math-400-normal"] if "<math" in shown else []
    return [*FACES, *italic, *maths]
