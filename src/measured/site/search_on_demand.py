"""The theme's script with one change: the index of search is fetched once somebody searches.

Material asks for the index as soon as a page is open, and starts a worker for it. Most readers only
read. What is changed is found in the script as it was installed, by what it says; a version of the theme
that says it otherwise stops the build.
"""

from __future__ import annotations

import re
from pathlib import Path

from measured.errors import MeasuredError

PLACE = "assets/javascripts/theme.js"
WAITING = "waiting.js"
# As the minified script says: wait for the switch of search only where pages are files.
_SWITCH = re.compile(
    r'(?P<merge>[\w$]+)\((?P<of>[\w$]+)\(location\.protocol!=="file:"\),(?P<switch>[\w$]+)\("search"\)\)'
    r"\.pipe\((?P<first>[\w$]+)\([\w$]+=>[\w$]+\),(?P<then>[\w$]+)\("
)
_INDEX = re.compile(r':(?P<fetch>[\w$]+\(new URL\("search/search_index\.json",[\w$]+\.base\)\))\}')
_KEPT = re.compile(r"pipe\([\w$]+\(\(\)=>__index\),(?P<keep>[\w$]+\(1\))\)")
_WORKER = re.compile(r"workers/(search\.[\w.]+\.js)")


def script(templates: Path) -> str:
    """The theme's script, which fetches the index when search is opened, or when an address asks for hits.

    Args:
        templates: the folder of the installed theme.

    Raises:
        MeasuredError: the theme's script is another one.
    """
    found = sorted(templates.glob("assets/javascripts/bundle.*.min.js"))
    text = found[0].read_text(encoding="utf-8") if len(found) == 1 else ""
    switch, kept, places = _SWITCH.search(text), _KEPT.search(text), _INDEX.findall(text)
    if switch is None or kept is None or len(places) != 1:
        raise MeasuredError(
            "the theme's script does not ask for the index of search as it did",
            path="src/measured/site/search_on_demand.py",
            expected="one place that names search/search_index.json, and waits for the switch of search",
            mend="read the theme's new script, and correct the patterns",
        )
    name = switch.group
    waiting = f'{name("of")}(/[?&]h=/.test(location.search)),{name("switch")}("search")'
    first = f"{name('first')}(open=>open),{name('then')}(()=>{places[0]}),{kept['keep']}"
    text = _INDEX.sub(lambda _: f":{name('merge')}({waiting}).pipe({first})}}", text)
    return re.sub(r"\n//# sourceMappingURL=\S+", "", text)


def waits(settings: str) -> str:
    """The theme's settings, with a worker of search that waits for its first message."""
    return _WORKER.sub(lambda found: f"workers/{WAITING}?of={found[1]}", settings)
