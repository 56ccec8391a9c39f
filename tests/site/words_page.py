"""The page of word sketches for the browser, its tables written from the same vectors as the book's."""

from pathlib import Path

from attention_from_scratch import sentence

ASKED = ("animal", "street", "it", "tired")
PLACES = (*sentence.PADDED, "lost")


def table(names, matrix):
    head = "<thead><tr>" + "<th>x</th>" * (len(matrix[0]) + 1) + "</tr></thead>"
    rows = "".join(
        f"<tr><td>{name}</td>" + "".join(f"<td>{x:g}</td>" for x in row) + "</tr>"
        for name, row in zip(names, matrix, strict=True)
    )
    return f"<table>{head}<tbody>{rows}</tbody></table>"


def vectors(words):
    query, key = sentence.queries_and_keys(words)
    return table(words, [[*q, *k] for q, k in zip(query, key, strict=True)])


def fill(page: Path) -> None:
    kernels = (sentence.QUERY_KERNEL, sentence.KEY_KERNEL, sentence.VALUE_KERNEL)
    shapes = table(ASKED, sentence.tokens(ASKED)) + "".join(table(sentence.FEATURES, k) for k in kernels)
    text = page.read_text(encoding="utf-8")
    for name, made in (
        ("sentence", vectors(sentence.SENTENCE)),
        ("shapes", shapes),
        ("mask", vectors(PLACES)),
    ):
        text = text.replace(f"{{{name}}}", made)
    page.write_text(text, encoding="utf-8")
