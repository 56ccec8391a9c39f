"""Whether a head hands on what it read, whether that is the answer or not."""

from __future__ import annotations

import numpy as np

from attention_from_scratch import circuits
from attention_from_scratch.forward import Trace, Weights
from attention_from_scratch.tasks.match_then_read import Lookups


def copying_of_what_is_read(weights: Weights, trace: Trace, drawn: Lookups) -> float:
    """Share of sequences in which the last block's heads raise most the symbol that they look at most.

    As `circuits.direct_copying`, with that symbol in the answer's place: what stands at the position to which
    the last query gives the largest weight, averaged over the heads.
    """
    place = trace.attention[-1][:, :, -1].mean(axis=1).argmax(axis=-1)
    read = drawn.tokens[np.arange(len(place)), place]
    return circuits.direct_copying(weights, trace, drawn._replace(answers=read))
