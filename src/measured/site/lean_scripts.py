"""Scripts as readers fetch them: without comments, as style sheets are.

Comments and indentation are for who reads the code where it is written. Lines that are nothing but a comment
go; of the others what stands before their first sign.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from measured import files

_BACKTICK = re.compile(r"(?<!\\)`")


def lean(script: str) -> str:
    """A script without lines that hold only a comment, or nothing; licences (`/*!`) stay.

    What stands in a template literal or a string of several lines stays; so does every line where literals do
    not pair.
    """
    if len(_BACKTICK.findall(script)) % 2:
        return script
    return "\n".join(_kept(script.split("\n"))) + "\n"


def _kept(lines: list[str]) -> Iterator[str]:
    in_comment = in_literal = in_licence = goes_on = False
    for line in lines:
        words = line.strip()
        if in_comment:
            in_comment = "*/" not in words
            continue
        if in_literal or (words and not words.startswith(("//", "/*"))) or words.startswith("/*!"):
            yield line if in_literal or goes_on or in_licence else line.lstrip()
            in_licence = (in_licence or words.startswith("/*!")) and "*/" not in words
            in_literal ^= len(_BACKTICK.findall(line)) % 2 == 1
            goes_on = line.endswith("\\")
        elif words.startswith("/*"):
            _, end, rest = words.partition("*/")
            in_comment = not end
            if rest.strip():
                yield line


def write(site: Path, folders: tuple[str, ...], others: frozenset[str]) -> None:
    """Rewrite the scripts of a built site that its author and the engine wrote.

    Args:
        site: the built folder.
        folders: where they are in it.
        others: scripts there that are somebody else's, by their places in the site.
    """
    for folder in folders:
        for path in sorted((site / folder).rglob("*.js")):
            if path.relative_to(site).as_posix() in others:
                continue
            text = path.read_text(encoding="utf-8")
            if (made := lean(text)) != text:
                files.write_text(path, made)
