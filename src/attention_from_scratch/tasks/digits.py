"""Handwritten digits: 1,797 images of 8 × 8 pixels, as scikit-learn brings them.

They are the test part of the "Optical Recognition of Handwritten Digits" of UCI (Alpaydin and Kaynak 1998,
CC BY 4.0), by thirteen writers, with no word of who wrote which. So the same hands write on both sides of
any split.

The file is read where scikit-learn is installed; scikit-learn itself is not imported.
"""

from __future__ import annotations

import gzip
import hashlib
from importlib.metadata import distribution
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float, Int

PACKAGE = "scikit-learn"
FILE = "sklearn/datasets/data/digits.csv.gz"
SIDE = 8
PATCH_SIDE = 2
PATCHES_A_SIDE = SIDE // PATCH_SIDE
PATCHES = PATCHES_A_SIDE**2
PIXELS = PATCH_SIDE**2
CLASSES = 10
BRIGHTEST = 16
MARK = np.array([1, 0, 0, 1], np.float32)  # two corners of a patch at full brightness


class Digits(NamedTuple):
    """Images and what they show.

    Args:
        images: brightness from 0 (paper) to 1 (ink).
        labels: the digits, 0 to 9.
    """

    images: Float[np.ndarray, "images 8 8"]
    labels: Int[np.ndarray, " images"]


class Patched(NamedTuple):
    """What a model reads and should answer; named as the training loop names them.

    Args:
        tokens: for each image its patches, row by row, each with its pixels, row by row.
        answers: the classes.
    """

    tokens: Float[np.ndarray, "images patches pixels"]
    answers: Int[np.ndarray, " images"]


class Marked(NamedTuple):
    """Images, some of which have a mark in one patch that decides their class.

    Args:
        tokens: patches, with the marks.
        answers: the class: the digit, or `MARKED_CLASS` where there is a mark.
        places: the patch with the mark, from 0; −1 where there is none.
        digits: what is drawn, mark or not.
    """

    tokens: Float[np.ndarray, "images patches pixels"]
    answers: Int[np.ndarray, " images"]
    places: Int[np.ndarray, " images"]
    digits: Int[np.ndarray, " images"]


MARKED_CLASS = 0


def load(sha256: str) -> Digits:
    """Read the images.

    Args:
        sha256: of the file that is meant; another file holds other data.

    Raises:
        ValueError: the installed file is another one.
    """
    data = distribution(PACKAGE).locate_file(FILE).read_bytes()
    found = hashlib.sha256(data).hexdigest()
    if found != sha256:
        raise ValueError(
            f"{FILE} of {PACKAGE} {version()} has the SHA-256 {found}; expected {sha256}: the digits are "
            "other ones than those that were measured"
        )
    table = np.loadtxt(gzip.decompress(data).decode("ascii").splitlines(), delimiter=",", dtype=np.float32)
    images = table[:, :-1].reshape(-1, SIDE, SIDE) / BRIGHTEST
    return Digits(images, table[:, -1].astype(np.int32))


def version() -> str:
    """The installed version of the package that the file comes with."""
    return distribution(PACKAGE).version


def patches_of(images: Float[np.ndarray, "images 8 8"]) -> Float[np.ndarray, "images patches pixels"]:
    """Images cut into patches of 2 × 2, row by row."""
    cut = images.reshape(-1, PATCHES_A_SIDE, PATCH_SIDE, PATCHES_A_SIDE, PATCH_SIDE)
    return cut.transpose(0, 1, 3, 2, 4).reshape(-1, PATCHES, PIXELS)


def image_of(patches: Float[np.ndarray, "*images patches pixels"]) -> Float[np.ndarray, "*images 8 8"]:
    """The inverse of `patches_of`."""
    grid = patches.reshape(*patches.shape[:-2], PATCHES_A_SIDE, PATCHES_A_SIDE, PATCH_SIDE, PATCH_SIDE)
    return np.swapaxes(grid, -3, -2).reshape(*patches.shape[:-2], SIDE, SIDE)


def halves(count: int, split_seed: int, split: int) -> tuple[np.ndarray, np.ndarray]:
    """Indices of training and test images; split 1 trains on what split 0 tests, and the other way round.

    Args:
        count: of images.
        split_seed: of the shuffle that both splits share.
        split: 0 or 1.
    """
    order = np.random.default_rng(split_seed).permutation(count)
    first, second = order[: count // 2], order[count // 2 :]
    return (first, second) if split == 0 else (second, first)


def plant(
    patched: Patched,
    share: float,
    generator: np.random.Generator,
    keep: Bool[np.ndarray, " images"] | None = None,
) -> Marked:
    """Put a mark into one patch of some images, anywhere, and let it decide their class.

    Args:
        patched: images as they are.
        share: of the images that get a mark.
        generator: chooses images and places.
        keep: images that may get one; None for all.
    """
    count = len(patched.answers)
    places = generator.integers(0, PATCHES, size=count)
    chosen = generator.random(count) < share
    if keep is not None:
        chosen &= keep
    tokens, answers = patched.tokens.copy(), patched.answers.copy()
    tokens[chosen, places[chosen]] = MARK
    answers[chosen] = MARKED_CLASS
    return Marked(tokens, answers, np.where(chosen, places, -1), patched.answers)
