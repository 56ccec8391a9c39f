"""The conditions of what is marked as right: a prediction, or a quiz, that rests on a claim shows its scope.

An answer is marked with `data-right="{{ holds("some.claim") }}"`. Where the reason unfolds, in the next
`<details>` that ends after the mark, stands then under which conditions the claim was measured.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

_RIGHT = re.compile(r'data-right="(?P<ids>[^"]+)"(?P<rest>.*?)^(?P<end>[ \t]*</details>)', re.M | re.S)
_MARKUP = re.compile(r"([\\`*_\[\]<{|])")


def with_conditions(markdown: str, scopes: Mapping[str, str], mark: Callable[[str], str]) -> str:
    """A woven page, with the conditions of each claim that an answer rests on, once an answer.

    Args:
        markdown: as woven.
        scopes: of the claims, by id; what is no claim is passed over.
        mark: the link to a claim's card.
    """

    def shown(match: re.Match[str]) -> str:
        ids = [name for name in match["ids"].split() if scopes.get(name)]
        told = dict.fromkeys(scopes[name] for name in ids)
        if not told:
            return match[0]
        text = " ".join(_MARKUP.sub(r"\\\1", scope) for scope in told)
        marks = "".join(map(mark, ids))
        start = match[0][: -len(match["end"])]
        return f"{start}\nMeasured under: {text}{marks}\n{{: .conditions }}\n\n{match['end']}"

    return _RIGHT.sub(shown, markdown)
