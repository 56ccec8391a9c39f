"""Writes docs/includes/abbreviations.md from docs/glossary.md: `python scripts/tooltips.py`.

Tooltips are for terms that a reader may have forgotten, in the forms in which prose has them. Words that
stand in every second sentence (query, weights, mask) have none: a page full of dotted lines helps nobody.
A test sees to it that the file agrees with the glossary.
"""

from __future__ import annotations

import re
from pathlib import Path

DOCS = Path(__file__).resolve().parent.parent / "docs"
GLOSSARY, TOOLTIPS = DOCS / "glossary.md", DOCS / "includes" / "abbreviations.md"

# The forms in which prose has a term, by its anchor in the glossary.
FORMS = {
    "additive-mask": ("additive mask", "additive masks"),
    "causal-mask": ("causal mask", "Causal mask", "causal masks"),
    "circuit": ("circuit", "circuits"),
    "class-token": ("class token", "class tokens"),
    "cross-attention": ("cross-attention", "Cross-attention"),
    "dilution": ("dilution", "Dilution"),
    "empty-row": ("empty row", "empty rows", "Empty rows"),
    "entropy": ("entropy", "Entropy"),
    "feed-forward-network": ("feed-forward",),
    "forget-gate": ("forget gate", "forget gates"),
    "gru": ("GRU",),
    "induction-head": ("induction head", "induction heads", "Induction heads"),
    "integrated-gradients": ("integrated gradients", "Integrated gradients"),
    "layer-normalisation": ("LayerNorm",),
    "logit": ("logit", "logits", "Logits"),
    "lstm": ("LSTM", "LSTMs"),
    "multiply-add": ("multiply-add", "multiply-adds"),
    "nat": ("nats",),
    "one-hot": ("one-hot",),
    "online-softmax": ("online softmax", "Online softmax"),
    "order-blind-ceiling": ("order-blind ceiling",),
    "padding-mask": ("padding mask", "Padding mask"),
    "permutation-equivariant": ("permutation-equivariant", "equivariant"),
    "prefix-matching": ("prefix matching", "prefix-matching"),
    "rank-correlation": ("rank correlation",),
    "residual-connection": ("residual", "residuals"),
    "saturation": ("saturation", "Saturation"),
    "self-attention": ("self-attention", "Self-attention"),
    "simplernn": ("SimpleRNN",),
    "sinusoidal-positions": ("sinusoidal positions",),
    "softmax-jacobian": ("Jacobian",),
    "standard-error": ("standard error", "standard errors"),
    "vanishing-gradient": ("vanishing gradient", "vanishing gradients"),
}

_TERM = re.compile(r"^\*\*([^*]+)\*\*\{: #([\w-]+) \}\n:   (.*?)(?=\n\n|\Z)", re.S | re.M)


def definitions(glossary: str) -> dict[str, tuple[str, str]]:
    """Term and definition by anchor, in the order of the page."""
    return {anchor: (term, " ".join(text.split())) for term, anchor, text in _TERM.findall(glossary)}


def tooltips(glossary: str) -> str:
    """The list of abbreviations, for Python-Markdown's `abbr`.

    Raises:
        KeyError: a term that the glossary does not define.
    """
    found = definitions(glossary)
    return "".join(
        f"*[{form}]: {_plain(found[anchor][1])}\n" for anchor in sorted(FORMS) for form in FORMS[anchor]
    )


def _plain(text: str) -> str:
    """A tooltip is an attribute: no links, no emphasis, and no citation in parentheses."""
    text = re.sub(r" \((\[[^\]]*\]\([^)]*\)(, §[\d.]+)?(, )?)+\)", "", text)
    return re.sub(r"[*`$]", "", re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text))


if __name__ == "__main__":
    TOOLTIPS.write_text(tooltips(GLOSSARY.read_text(encoding="utf-8")), encoding="utf-8")
