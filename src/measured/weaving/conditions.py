"""Prose that depends on a measured value stands inside a claim, or it says whatever was measured.

`{% if fair.mean > 3 %}high{% else %}low{% endif %}` is right for every value, so that nothing holds the
sentence to what was once looked at: no predicate, no margin, no drift. Repeating fixed text is no condition.
"""

from __future__ import annotations

from collections.abc import Iterator

from jinja2 import nodes

from measured.errors import MeasuredError

# An experiment's parameters are chosen, not measured; `loop` only counts.
_CHOSEN = frozenset({"parameters", "loop"})
_CHOICES = (
    nodes.If, nodes.For, nodes.CondExpr, nodes.Compare, nodes.And, nodes.Or, nodes.Not, nodes.Test
)  # fmt: skip


def refuse_conditions(template: nodes.Template) -> None:
    """Look for conditions over measurements in a page's template.

    Raises:
        MeasuredError: one stands outside a claim; with its line.
    """
    for node in _outside_claims(template):
        if isinstance(node, _CHOICES) and (measured := _measured_names(_condition(node))):
            names = ", ".join(sorted(measured))
            raise MeasuredError(
                f"what the page says depends on a measured value ({names}), outside a claim",
                line=node.lineno,
                expected="one sentence, which holds for what was measured or stops the build",
                mend='put it inside {% claim "…" %} … {% endclaim %}, whose predicate decides it',
            )


def _outside_claims(node: nodes.Node) -> Iterator[nodes.Node]:
    for child in node.iter_child_nodes():
        if not _is_claim(child):
            yield child
            yield from _outside_claims(child)


def _is_claim(node: nodes.Node) -> bool:
    """The tag, as the weaver's extension parses it: a call whose first argument is the tag's name."""
    if not isinstance(node, nodes.CallBlock):
        return False
    arguments = node.call.args
    return bool(arguments) and isinstance(arguments[0], nodes.Const) and arguments[0].value == "claim"


def _condition(node: nodes.Node) -> nodes.Node:
    if isinstance(node, nodes.For):
        return nodes.List([n for n in (node.iter, node.test) if n is not None])
    return node.test if isinstance(node, nodes.If | nodes.CondExpr) else node


def _measured_names(node: nodes.Node) -> set[str]:
    """Whatever is read by name; a name that the page sets may hold a measurement."""
    names = {node.name} if isinstance(node, nodes.Name) else set()
    names |= {found.name for found in node.find_all(nodes.Name)}
    return names - _CHOSEN
