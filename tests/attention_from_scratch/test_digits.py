"""The digits: the file that is meant, cut into patches, split and marked."""

import numpy as np
import pytest

from attention_from_scratch.experiments.explanation_plan import PARAMETERS
from attention_from_scratch.tasks import digits


@pytest.fixture(scope="module")
def found():
    return digits.load(PARAMETERS["sha256"])


def test_the_installed_version_is_the_one_that_was_measured():
    assert digits.version() == PARAMETERS["data_version"]


def test_they_are_scikit_learns(found):
    from sklearn.datasets import load_digits

    theirs = load_digits()
    np.testing.assert_array_equal(found.images * 16, theirs.images)
    np.testing.assert_array_equal(found.labels, theirs.target)


def test_another_file_is_refused():
    with pytest.raises(ValueError, match="expected 0000"):
        digits.load("0000")


def test_patches_are_squares_of_the_image_and_go_back(found):
    patches = digits.patches_of(found.images[:3])
    np.testing.assert_array_equal(patches[0, 6], found.images[0, 2:4, 4:6].ravel())
    np.testing.assert_array_equal(digits.image_of(patches), found.images[:3])
    np.testing.assert_array_equal(digits.image_of(patches[0]), found.images[0])


def test_the_two_splits_change_places():
    first, second = digits.halves(9, 0, 0), digits.halves(9, 0, 1)
    np.testing.assert_array_equal(first[0], second[1])
    np.testing.assert_array_equal(first[1], second[0])
    assert sorted(np.concatenate(first)) == list(range(9))


def test_a_mark_stands_where_it_is_said_and_decides(found):
    shown = digits.Patched(digits.patches_of(found.images), found.labels)
    marked = digits.plant(shown, 0.5, np.random.default_rng(0))
    has = marked.places >= 0
    assert 0.4 < has.mean() < 0.6
    rows = np.flatnonzero(has)
    np.testing.assert_array_equal(
        marked.tokens[rows, marked.places[rows]], np.tile(digits.MARK, (len(rows), 1))
    )
    assert set(marked.answers[has]) == {digits.MARKED_CLASS}
    np.testing.assert_array_equal(marked.answers[~has], shown.answers[~has])
    np.testing.assert_array_equal(marked.tokens[~has], shown.tokens[~has])
    changed = (marked.tokens != shown.tokens).any(axis=2).sum(axis=1)
    assert changed.max() == 1
    assert np.bincount(marked.places[has], minlength=16).min() > 0
    assert not (shown.tokens == digits.MARK).all(axis=2).any()  # no patch has such a mark by nature
