"""Maps that say which patch of an image mattered, and how well such maps do.

A *map* is one number a patch: the larger, the more it is said to have mattered. Attention weights are one
map, gradients another. *Covering* is the yardstick: put the mean image's patch in the place of one patch,
compute again, and see how far the answer's lead falls. It is an intervention, but not *the* truth: a
covered image is none that the model was trained on, and what covering finds depends on what one covers
with. So there are several here.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from jaxtyping import Float, Int

Maps = Float[np.ndarray, "images patches"]
Scored = Callable[[Float[np.ndarray, "images patches pixels"], Int[np.ndarray, " images"]], np.ndarray]


def raw_weights(attention: list[np.ndarray], patches: int) -> Maps:
    """The class token's weights on the patches in the last block, averaged over heads."""
    return attention[-1][:, :, 0, 1 : patches + 1].mean(axis=1)


def rollout(attention: list[np.ndarray], patches: int) -> Maps:
    """Attention rollout of the class token, on the patches."""
    return rolled(attention, query=0)[:, 1 : patches + 1]


def rolled(
    attention: list[Float[np.ndarray, "images heads queries tokens"]], query: int
) -> Float[np.ndarray, "images tokens"]:
    """Attention rollout (Abnar and Zuidema 2020): weights multiplied along the blocks.

    Heads are averaged; half of each step stays where it is, for the residual sum.

    Args:
        attention: of each block; the last one may hold the row of one query alone.
        query: the token that asks in the last block.
    """
    last = attention[-1].mean(axis=1)
    row = last[:, 0 if last.shape[1] == 1 else query] / 2
    row[:, query] += 0.5
    for block in reversed(attention[:-1]):
        step = block.mean(axis=1)
        row = (row + (row[:, np.newaxis] @ step)[:, 0]) / 2
    return row


def norm_weighted(attention: list[np.ndarray], projected: np.ndarray, patches: int) -> Maps:
    """The length of what each patch adds to the class token in the last block (Kobayashi et al. 2020).

    A weight says little where the vector that it multiplies is short.

    Args:
        attention: of each block.
        projected: each head's values in the last block, through the output projection.
        patches: how many.
    """
    added = attention[-1][:, :, 0, :, np.newaxis] * projected
    return np.linalg.norm(added.sum(axis=1), axis=-1)[:, 1 : patches + 1]


def gradient_times_input(gradients: np.ndarray, patches: np.ndarray, baseline: np.ndarray) -> Maps:
    """Gradient of the lead by each pixel times the pixel's distance from the baseline, summed.

    For a model that is linear this is exactly what covering finds. With gradients averaged over the way
    from the baseline these are integrated gradients (Sundararajan, Taly and Yan 2017): summed over the
    patches they are the lead less the baseline's, up to the error of a sum over steps.
    """
    return (gradients * (patches - baseline)).sum(axis=-1)


def covering(lead_of: Scored, patches: np.ndarray, classes: np.ndarray, cover: np.ndarray) -> Maps:
    """How far the lead falls once a patch is covered, one patch at a time.

    Args:
        lead_of: patches and classes in, each image's lead out.
        patches: of the images.
        classes: whose lead it is.
        cover: what is put in a patch's place, one row a patch.
    """
    images, count = patches.shape[:2]
    covered = np.repeat(patches[:, np.newaxis], count, axis=1)
    each = np.arange(count)
    covered[:, each, each] = cover
    flat = covered.reshape(images * count, *patches.shape[1:])
    return lead_of(patches, classes)[:, np.newaxis] - lead_of(flat, np.repeat(classes, count)).reshape(
        images, count
    )


def curves(
    probability_of: Scored,
    patches: np.ndarray,
    classes: np.ndarray,
    cover: np.ndarray,
    maps: Maps,
    *,
    insert: bool,
) -> Float[np.ndarray, "images steps"]:
    """The class's probability while patches are covered, the largest of the map first (Petsiuk et al. 2018).

    Args:
        probability_of: patches and classes in, each image's probability of its class out.
        patches: of the images.
        classes: whose probability it is.
        cover: what is put in a patch's place, one row a patch.
        maps: which go first; of equal ones the earlier.
        insert: begin with all patches covered, and uncover them.
    """
    images, count = maps.shape
    order = np.argsort(-maps, axis=1, kind="stable")
    rank = np.argsort(order, axis=1)
    touched = rank[:, np.newaxis] < np.arange(count + 1)[:, np.newaxis]  # (images, steps, patches)
    shown = np.where((touched == insert)[..., np.newaxis], patches[:, np.newaxis], cover)
    flat = shown.reshape(images * (count + 1), *patches.shape[1:])
    return probability_of(flat, np.repeat(classes, count + 1)).reshape(images, count + 1)


def area(curve: Float[np.ndarray, "*any steps"]) -> Float[np.ndarray, "*any"]:
    """The area under curves whose steps together are one wide, by trapezoids."""
    return (curve[..., 1:] + curve[..., :-1]).mean(axis=-1) / 2


def rank_correlation(one: Maps, other: Maps) -> Float[np.ndarray, " images"]:
    """Spearman's correlation of two maps, image by image; equal values share their mean rank.

    A map that is the same everywhere has no order: 0.
    """
    ranks = [_centred_ranks(maps) for maps in (one, other)]
    product = np.sqrt((ranks[0] ** 2).sum(axis=1) * (ranks[1] ** 2).sum(axis=1))
    return np.divide((ranks[0] * ranks[1]).sum(axis=1), product, out=np.zeros(len(one)), where=product > 0)


def _centred_ranks(maps: Maps) -> np.ndarray:
    larger = (maps[:, :, np.newaxis] > maps[:, np.newaxis]).sum(axis=2)
    smaller = (maps[:, :, np.newaxis] < maps[:, np.newaxis]).sum(axis=2)
    return (larger - smaller) / 2.0
