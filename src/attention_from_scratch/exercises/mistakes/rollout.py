"""Rollouts that do not roll, and images that do not mislead."""

import numpy as np

from attention_from_scratch.exercises.exercise import Mistake


def _misleads(maps, falls):
    """The image whose first patch has the worst place by covering."""
    first = maps.argmax(axis=1)
    return (falls > falls[np.arange(len(falls)), first][:, np.newaxis]).sum(axis=1).argmax()


def _steps(attention):
    """Each block, heads averaged, half of it left where it was."""
    return [(block.mean(axis=1) + np.eye(block.shape[-1])) / 2 for block in attention]


def _rolled(steps):
    rolled = np.eye(steps[0].shape[-1])
    for step in steps:
        rolled = step @ rolled
    return rolled


def last_block_alone(attention, falls):
    """The last block's weights are taken alone, and nothing is followed back."""
    maps = _steps(attention)[-1][:, 0, 1:]
    return maps, _misleads(maps, falls)


def residual_forgotten(attention, falls):
    """Weights are multiplied without the half that stays where it was."""
    maps = _rolled([block.mean(axis=1) for block in attention])[:, 0, 1:]
    return maps, _misleads(maps, falls)


def whole_residual_added(attention, falls):
    """A whole identity is added, and the sum is not divided by two: the map no longer holds shares."""
    maps = _rolled([block.mean(axis=1) + np.eye(block.shape[-1]) for block in attention])[:, 0, 1:]
    return maps, _misleads(maps, falls)


def largest_head_taken(attention, falls):
    """The largest of the heads is taken, and not their mean."""
    maps = _rolled([(block.max(axis=1) + np.eye(block.shape[-1])) / 2 for block in attention])[:, 0, 1:]
    return maps, _misleads(maps, falls)


def blocks_in_the_wrong_order(attention, falls):
    """The product is taken in the other order, as if the last block came first."""
    maps = _rolled(_steps(attention)[::-1])[:, 0, 1:]
    return maps, _misleads(maps, falls)


def column_for_row(attention, falls):
    """The class token's column is read, which says who looks at it, and not its row."""
    maps = _rolled(_steps(attention))[:, 1:, 0]
    return maps, _misleads(maps, falls)


def blocks_averaged(attention, falls):
    """The blocks are averaged, and not multiplied."""
    maps = np.mean(_steps(attention), axis=0)[:, 0, 1:]
    return maps, _misleads(maps, falls)


def smallest_fall(attention, falls):
    """The image is the one whose named patch falls the least, whatever the others of that image do."""
    maps = _rolled(_steps(attention))[:, 0, 1:]
    return maps, falls[np.arange(len(falls)), maps.argmax(axis=1)].argmin()


def best_place(attention, falls):
    """The image on which the map is right is named: places are counted from the wrong end."""
    maps = _rolled(_steps(attention))[:, 0, 1:]
    first = falls[np.arange(len(falls)), maps.argmax(axis=1)]
    return maps, (falls < first[:, np.newaxis]).sum(axis=1).argmax()


def weights_overwritten(attention, falls):
    """The identity is added in place, to the weights that were given."""
    for block in attention:
        block += np.eye(block.shape[-1])
        block /= 2
    maps = _rolled([block.mean(axis=1) for block in attention])[:, 0, 1:]
    return maps, _misleads(maps, falls)


MISTAKES = (
    Mistake(last_block_alone, "weights_are_followed_back_block_by_block"),
    Mistake(residual_forgotten, "one_block_is_half_of_its_mean_weights"),
    Mistake(whole_residual_added, "one_block_is_half_of_its_mean_weights"),
    Mistake(largest_head_taken, "heads_are_averaged"),
    Mistake(blocks_in_the_wrong_order, "three_blocks_come_in_their_order"),
    Mistake(column_for_row, "one_block_is_half_of_its_mean_weights"),
    Mistake(blocks_averaged, "weights_are_followed_back_block_by_block"),
    Mistake(smallest_fall, "small_falls_do_not_matter"),
    Mistake(best_place, "it_names_the_image_on_which_it_misleads"),
    Mistake(weights_overwritten, "the_weights_stay_as_they_were"),
)
