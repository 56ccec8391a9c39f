"""What every attention rollout has in common, and every search for the image on which it misleads."""

import numpy as np

from attention_from_scratch.exercises.checking import require


def some_attention(seed=0, blocks=2, images=6, heads=3, patches=5):
    """Attention weights as a small vision transformer has them, and what covering finds.

    Made from a seed, not trained.

    Args:
        seed: of the random numbers.
        blocks: how many.
        images: how many.
        heads: of each block.
        patches: of each image; the class token comes in front of them.

    Returns:
        One array a block, (images, heads, queries, keys), whose last axis sums to one; and falls of the
        lead, (images, patches).
    """
    rng = np.random.default_rng(seed)
    tokens = patches + 1
    exponentials = np.exp(rng.normal(size=(blocks, images, heads, tokens, tokens)) * 2)
    attention = list(exponentials / exponentials.sum(axis=-1, keepdims=True))
    return attention, rng.normal(size=(images, patches))


def one_block_is_half_of_its_mean_weights(rollout):
    """With one block the map is half of the class token's weights on the patches, averaged over heads.

    The other half stays where it was, for the residual sum: on the class token itself.
    """
    attention, falls = some_attention(blocks=1)
    _close(_maps(rollout, attention, falls), attention[0][:, :, 0, 1:].mean(axis=1) / 2)


def heads_are_averaged(rollout):
    """Heads that look at different patches count alike.

    Take the mean over the axis of the heads, not the largest.
    """
    itself = np.eye(4)
    looks = np.stack([itself, itself])
    looks[0, 0], looks[1, 0] = itself[1], itself[2]
    attention = [looks[np.newaxis]]
    _close(_maps(rollout, attention, np.zeros((1, 3))), np.array([[0.25, 0.25, 0.0]]))


def weights_are_followed_back_block_by_block(rollout):
    """What the last block looks at is followed through the first.

    The class token looks at patch 1 in the last block; in the first block, patch 1 has looked at patch 2. So
    patch 2 has a share, and the class token's own look in the first block has one, too.
    """
    first, last = np.eye(4), np.eye(4)
    first[1], last[0] = np.eye(4)[2], np.eye(4)[1]
    attention = [block[np.newaxis, np.newaxis] for block in (first, last)]
    _close(_maps(rollout, attention, np.zeros((1, 3))), np.array([[0.25, 0.25, 0.0]]))


def three_blocks_come_in_their_order(rollout):
    """Three blocks are followed from the last to the first.

    Matrices do not commute: the last block's stands on the left of the product.
    """
    attention, falls = some_attention(seed=1, blocks=3)
    wanted = []
    for image in range(6):
        reached = np.eye(6)[0]
        for block in (2, 1, 0):
            reached = sum(reached @ (head + np.eye(6)) / 2 for head in attention[block][image]) / 3
        wanted.append(reached[1:])
    _close(_maps(rollout, attention, falls), np.array(wanted))


def it_names_the_image_on_which_it_misleads(rollout):
    """The image is the one whose first patch, by the map, has the worst place by covering.

    For each image: which patch has the largest number of the map? How many patches have a larger fall than
    that one? The image with the most of them misleads most.
    """
    for seed in range(2, 8):
        attention, falls = some_attention(seed=seed)
        maps, image = _answer(rollout, attention, falls)
        falls = falls.copy()
        rows = np.arange(len(falls))
        falls[rows, maps.argmax(axis=1)] = 9  # the map's first patch is also covering's
        misled = seed % 6
        falls[misled, maps[misled].argmax()] = -9  # but here
        _, image = _answer(rollout, attention, falls)
        require(image == misled, f"image {image}; it is image {misled}")


def small_falls_do_not_matter(rollout):
    """Places count, not how far a lead falls.

    An image whose leads hardly fall may have a map in the best order.
    """
    attention, falls = some_attention(seed=9)
    maps, _ = _answer(rollout, attention, falls)
    falls = maps / 100
    falls[3] = 9
    falls[3, maps[3].argmax()] = 5
    _, image = _answer(rollout, attention, falls)
    require(image == 3, f"image {image}; it is image 3, whose first patch is the last by covering")


def the_weights_stay_as_they_were(rollout):
    """Neither the weights nor the falls are changed.

    `+=` on an array that you were given changes it for everybody.
    """
    attention, falls = some_attention(seed=10)
    kept = [block.copy() for block in attention], falls.copy()
    _checked(rollout(attention, falls), falls)
    same = all(np.array_equal(a, b) for a, b in zip(attention, kept[0], strict=True))
    require(same and np.array_equal(falls, kept[1]), "arrays that you were given, and changed")


def _maps(rollout, attention, falls):
    return _answer(rollout, attention, falls)[0]


def _answer(rollout, attention, falls):
    return _checked(rollout([block.copy() for block in attention], falls.copy()), falls)


def _checked(answer, falls):
    try:
        maps, image = answer
        image = int(image)
    except (TypeError, ValueError):
        require(False, f"{answer!r}, which is not an array of maps and a whole number")
    maps = np.asarray(maps)
    seen = f"maps of shape {maps.shape}; there are {falls.shape} images and patches"
    require(maps.shape == falls.shape, seen)
    return maps, image


def _close(found, wanted):
    apart = np.abs(found - wanted).max()
    require(apart < 1e-9, f"{np.round(found[0], 3)} for the first image; it is {np.round(wanted[0], 3)}")


PROPERTIES = (
    one_block_is_half_of_its_mean_weights,
    heads_are_averaged,
    weights_are_followed_back_block_by_block,
    three_blocks_come_in_their_order,
    it_names_the_image_on_which_it_misleads,
    small_falls_do_not_matter,
    the_weights_stay_as_they_were,
)
