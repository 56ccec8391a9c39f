"""Pictures that stand in the pages as HTML and SVG, drawn from what the subject's own functions compute.

A picture is whole without scripts. What a reader's hand changes is which part of it is shown: parts carry
`data-at` (a step of a walk) or `data-choice` (one of several), and docs/assets/javascripts/{walk,choose}
set classes. Colours and line styles are classes, for a page's policy forbids styles in attributes.
"""
