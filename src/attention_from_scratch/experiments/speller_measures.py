"""What is measured of the page's two spellers: what they say, where the transformer looks, how it decodes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from attention_from_scratch import alignment, decoding
from attention_from_scratch.experiments import spelling_plan as plan
from attention_from_scratch.experiments.policies import COUNT, EXACT_ZERO
from attention_from_scratch.experiments.spelling_runs import summed_up
from attention_from_scratch.speller_export import packed, test_of, weights_in
from attention_from_scratch.tasks import spelling
from attention_from_scratch.tasks.spelling import Word
from measured.terms.experiment import Findings
from measured.terms.family import Family, rows, table
from measured.terms.measurement import AtMost, Close, Measurement

BLOCKS = tuple(range(1, plan.MODELS["transformer"]["blocks"] + 1))
HEADS_OF_QUERIES = plan.MODELS["transformer"]["num_heads"]
HEADS = ("mean", *(f"head_{head}" for head in range(1, HEADS_OF_QUERIES + 1)))
SILENT = re.compile("^(k)n|^(w)r|i(g)ht|i(g)h$")
FINAL = re.compile("(?<=[^aeiouy])e$")
LONG = ("EY", "AY", "OW", "UW")
MODEL_WORDS = {"transformer": "transformer", "lstm": "LSTM without attention"}
LABELS = {"model": MODEL_WORDS}
LETTER_WORDS = {
    "silent": "silent k, w and g (kn-, wr-, -igh)",
    "final_e": "e after a consonant at the end",
    "all": "letters of all kinds",
}
FINAL_E_WORDS = {
    "weight": "weight of the vowel on the e",
    "weight_on_vowel": "weight of the vowel on its own letter",
    "most_looked_at": "share of words in which the vowel looks most at the e",
    "changed_without": "share of words in which another vowel is said once the e is struck from the word",
    "changed_when_hidden": "the same once the e is hidden from the decoder",
    "changed_by_transplant": "the same once the vowel's letter is as the encoder has it without the e",
    "changed_when_vowel_hidden": "the same once the vowel's own letter is hidden from the decoder",
}
ONE_TRAINING = "one training: its digits depend on the machine, and each word wrong or right is a step"
TRAINED, SHARE = Close(ONE_TRAINING, atol=0.02), Close(ONE_TRAINING, atol=0.05)
# Of ten fresh seeds the shares of what moves with the e lie up to 0.6 apart, those of weights 0.3.
DIVIDED = Close(
    "one training: who looks where is shared out otherwise by another seed, and by another CPU's rounding",
    atol=0.3,
)

PHONEME_ERROR = Family(
    "transformer.speller.phoneme_error.{model}",
    "phoneme error of the page's {model} on held-out words",
    TRAINED,
    ".3f",
    labels=LABELS,
)
WORD_ERROR = Family(
    "transformer.speller.word_error.{model}",
    "word error of the page's {model} on held-out words",
    TRAINED,
    ".3f",
    labels=LABELS,
)
EDITS = Family(
    "transformer.speller.edits_a_wrong_word.{model}",
    "sounds wrong in a word that the page's {model} says wrongly, mean",
    Close(ONE_TRAINING, atol=0.2),
    ".1f",
    labels=LABELS,
)
BEFORE_ROUNDING = Family(
    "transformer.speller.before_rounding.{model}",
    "phoneme error of the page's {model} before its weights are rounded",
    TRAINED,
    ".3f",
    labels=LABELS,
)
BYTES = Family(
    "transformer.speller.bytes.{model}",
    "compressed bytes of the page's {model}",
    Close("compressed weights of one training", atol=4_000),
    ",d",
    labels={"model": {**MODEL_WORDS, "both": "two models together"}},
)
CHANGED = Family(
    "transformer.causal.changed.{model}",
    "logits of the {model} that change when later sounds are replaced, of {count}",
    EXACT_ZERO,
    ",d",
    labels=LABELS,
)
COMPARED = Family("transformer.causal.compared", "logits compared for each model", COUNT, ",d")
NUMPY_DIFFERENCE = Family(
    "transformer.speller.numpy_difference",
    "largest difference of NumPy's logits from Keras', for {words} words",
    AtMost("rounding of float32 in another order, for logits of up to twenty", bound=1e-4),
    ".0e",
)
ROUNDING = "rounding, for logits of up to twenty: its size is the claim, its digits are the machine's"
CACHE_DIFFERENCE = {
    "float32": Family(
        "transformer.cache.max_difference.float32",
        "largest difference of logits with a cache from those without, float32",
        AtMost(ROUNDING, bound=5e-5),
        ".0e",
    ),
    "float64": Family(
        "transformer.cache.max_difference.float64",
        "largest difference of logits with a cache from those without, float64",
        AtMost(ROUNDING, bound=1e-13),
        ".0e",
    ),
}
SAME_BITS = Family(
    "transformer.cache.same_bits.{dtype}",
    "share of logits that a cache leaves the same to the last bit, {dtype}",
    Close("which sums come out alike depends on the machine's matrix product", atol=0.3),
    ".2f",
)
POOLED = Family(
    "transformer.pooled.phoneme_error.heads{heads}",
    "phoneme error with the decoder's own keys and values pooled into {heads} heads, not trained on",
    DIVIDED,
    ".3f",
)
BEAM_PHONEME_ERROR = Family(
    "transformer.beam.phoneme_error.b{beams}", "phoneme error with {beams} beams", TRAINED, ".3f"
)
BEAM_WORD_ERROR = Family(
    "transformer.beam.word_error.b{beams}", "word error with {beams} beams", TRAINED, ".3f"
)
LIKELIER = Family(
    "transformer.beam.likelier.b{beams}",
    "share of words for which {beams} beams find a likelier answer than greedy decoding",
    SHARE,
    ".1%",
)
BELIEVED = Family(
    "transformer.beam.believed",
    "share of wrongly said words whose greedy answer is likelier than each listed pronunciation",
    SHARE,
    ".0%",
)
AGREES = Family(
    "transformer.alignment.agrees.b{block}.{head}",
    "share of sounds that look most at the letter whose hiding costs them most: block {block}, {head}",
    DIVIDED,
    ".2f",
)
IN_ORDER = Family(
    "transformer.alignment.in_order.b{block}.{head}",
    "share of words whose most looked-at letters never go back: block {block}, {head}",
    DIVIDED,
    ".2f",
)
BY_PLACE = Family(
    "transformer.alignment.by_place",
    "share of sounds for which the letter at the same place in proportion is the one whose hiding costs most",
    SHARE,
    ".2f",
)
RIGHT_WORDS = Family(
    "transformer.alignment.words",
    "held-out words said rightly, whose weights are looked at",
    Close(ONE_TRAINING, atol=60),
    ",d",
)
LOOKED_AT = Family(
    "transformer.alignment.looked_at.{letters}",
    "largest weight that any sound gives to {letters}, mean over them",
    DIVIDED,
    ".2f",
    labels={"letters": LETTER_WORDS},
)
LETTER_COUNT = Family(
    "transformer.alignment.letters.{letters}",
    "{letters}: how many, in words said rightly",
    Close(ONE_TRAINING, atol=15, rtol=0.1),
    ",d",
    labels={"letters": LETTER_WORDS},
)
FINAL_E = Family(
    "transformer.final_e.{what}",
    "{what}, in words with a long vowel before a final silent e",
    DIVIDED,
    ".0%",
    labels={"what": FINAL_E_WORDS},
)
FINAL_E_COUNT = Family(
    "transformer.final_e_words",
    "words said rightly with a long vowel, a consonant and a silent e at the end",
    Close(ONE_TRAINING, atol=8),
    "d",
)


def measure(runs: Mapping[str, Mapping[str, np.ndarray]], beams: list[int], **p: Any) -> Findings:
    """What the two spellers say; how the transformer decodes, and where it looks."""
    test = test_words(p)
    found: list[Measurement] = []
    for model, arrays in runs.items():
        errors = errors_of(arrays["said"], test)
        found += [
            PHONEME_ERROR.of(errors["phoneme_error"], model=model),
            WORD_ERROR.of(errors["word_error"], model=model),
            EDITS.of(sum(errors["edits_by_length"]) / sum(errors["wrong_by_length"]), model=model),
            BEFORE_ROUNDING.of(errors_of(arrays["said_before_rounding"], test)["phoneme_error"], model=model),
            *_causality(model, arrays),
        ]
    found += [COMPARED.of(int(runs["transformer"]["logits_with_other_targets"].size)), *_bytes(runs, test, p)]
    arrays = runs["transformer"]
    model = decoding.EncoderDecoder.of(weights_in(arrays))
    found += _cache(weights_in(arrays), test, arrays["logits"])
    found += _beams(model, test[: p["beam_words"]], beams)
    found += _pooled(model, test, p["key_value_heads"])
    said = [spelling.sounds_of(row) for row in arrays["said"]]
    found.append(BELIEVED.of(believed(model, said, test)))
    right = said_rightly(said, test)
    looked, drawn = where_it_looks(model, right, p["drawn"])
    tables = (
        table(
            "speller.beams",
            "beams",
            rows("beams", beams),
            {
                "phoneme error": BEAM_PHONEME_ERROR,
                "word error": BEAM_WORD_ERROR,
                "likelier than greedy": LIKELIER,
            },
        ),
        table(
            "speller.alignment",
            "weights of",
            {
                f"block {block}, {head.replace('_', ' ')}": {"block": block, "head": head}
                for block in BLOCKS
                for head in HEADS
            },
            {"names the letter that is needed": AGREES, "never goes back": IN_ORDER},
        ),
    )
    return Findings((*found, *looked, *final_e(model, right)), drawn, tables)


def said_rightly(said: Sequence[spelling.Pronunciation], asked: Sequence[Word]) -> list[Word]:
    """The words that were said as they are listed, each with what was said."""
    return [Word(word.letters, (s,)) for s, word in zip(said, asked, strict=True) if s in word.pronunciations]


def errors_of(said: np.ndarray, asked: Sequence[Word]) -> dict[str, Any]:
    """Errors of what a run kept."""
    return summed_up([spelling.sounds_of(row) for row in said], asked)


def _causality(model: str, arrays: Mapping[str, np.ndarray]) -> Iterator[Measurement]:
    other = arrays["logits_with_other_targets"]
    same = arrays["logits"][:, : other.shape[1]]
    yield CHANGED.of(int((same != other).sum()), model=model, count=f"{other.size:,}")


def _bytes(
    runs: Mapping[str, Mapping[str, np.ndarray]], test: Sequence[Word], p: Mapping[str, Any]
) -> Iterator[Measurement]:
    sizes = {
        model: len(packed(model, weights_in(arrays), p["levels"][model], test_of(test, arrays["logits"]))[0])
        for model, arrays in runs.items()
    }
    for model, size in {**sizes, "both": sum(sizes.values())}.items():
        yield BYTES.of(size, model=model)


def _cache(
    weights: Mapping[str, np.ndarray], test: Sequence[Word], keras_logits: np.ndarray
) -> Iterator[Measurement]:
    """The listed sounds given one by one, and all at once."""
    pairs = spelling.pairs(test[: len(keras_logits)])
    asked = pairs.targets != spelling.PADDING
    for dtype in ("float32", "float64"):
        model = decoding.EncoderDecoder.of({name: array.astype(dtype) for name, array in weights.items()})
        memory = decoding.encode(model, pairs.letters)
        at_once, _ = decoding.whole(model, memory, pairs.previous)
        cache, steps = decoding.empty_cache(model, memory), []
        for tokens in pairs.previous.T:
            logits, cache = decoding.step(model, cache, tokens)
            steps.append(logits)
        apart = np.abs(np.stack(steps, axis=1) - at_once)[asked]
        yield CACHE_DIFFERENCE[dtype].of(float(apart.max()))
        yield SAME_BITS.of(float((apart == 0).mean()), dtype=dtype)
        if dtype == "float32":
            apart = np.abs(at_once - keras_logits)[asked]
            yield NUMPY_DIFFERENCE.of(float(apart.max()), words=f"{len(keras_logits):,}")


def _beams(
    model: decoding.EncoderDecoder, test: Sequence[Word], beams: Sequence[int]
) -> Iterator[Measurement]:
    letters = spelling.letter_tokens([word.letters for word in test])
    greedy = None
    for count in beams:
        best = [decoding.beam_search(model, row, spelling.START, spelling.END, count)[0] for row in letters]
        errors = summed_up([spelling.sounds_of(beam.tokens) for beam in best], test)
        scores = np.array([beam.log_probability for beam in best])
        greedy = scores if greedy is None else greedy
        yield BEAM_PHONEME_ERROR.of(errors["phoneme_error"], beams=count)
        yield BEAM_WORD_ERROR.of(errors["word_error"], beams=count)
        yield LIKELIER.of(float((scores > greedy + 1e-4).mean()), beams=count)


def believed(
    model: decoding.EncoderDecoder, said: Sequence[spelling.Pronunciation], asked: Sequence[Word]
) -> float:
    """Of the words said wrongly, the share whose answer is likelier than each listed pronunciation."""
    wrong = [(s, word) for s, word in zip(said, asked, strict=True) if s not in word.pronunciations]
    of = [index for index, (_, word) in enumerate(wrong) for _ in range(1 + len(word.pronunciations))]
    spoken = [(word.letters, p) for s, word in wrong for p in (s, *word.pronunciations)]
    given = spelling.pairs([Word(letters, (p[: spelling.MOST_SOUNDS],)) for letters, p in spoken])
    for row, (_, p) in enumerate(spoken):
        if len(p) == spelling.STEPS:  # it never ended: its last sound stands where an end would
            given.targets[row, -1] = 1 + spelling.SOUNDS.index(p[-1])
    logits, _ = decoding.whole(model, decoding.encode(model, given.letters), given.previous)
    each = np.take_along_axis(decoding.log_softmax(logits), given.targets[..., np.newaxis], axis=-1)[..., 0]
    total = np.where(given.targets != spelling.PADDING, each, 0).sum(axis=1)
    likelihoods = np.split(total, np.flatnonzero(np.diff(of)) + 1)
    return float(np.mean([its_own > max(listed) for its_own, *listed in likelihoods]))


def _pooled(
    model: decoding.EncoderDecoder, test: Sequence[Word], heads: Sequence[int]
) -> Iterator[Measurement]:
    letters = spelling.letter_tokens([word.letters for word in test])
    for count in heads:
        fewer = decoding.with_pooled_keys(model, count)
        said = decoding.greedy(fewer, letters, spelling.START, spelling.END)
        yield POOLED.of(errors_of(said, test)["phoneme_error"], heads=count)


def where_it_looks(
    model: decoding.EncoderDecoder, right: Sequence[Word], drawn: Sequence[str]
) -> tuple[list[Measurement], dict[str, np.ndarray]]:
    """The weights of words that are said rightly, against what hiding a letter does; and some to be drawn."""
    pairs = spelling.pairs(right)
    looked = alignment.look(model, *pairs)
    lost = alignment.lost_when_hidden(model, *pairs)
    sound = looked.asked & (pairs.targets != spelling.END)
    needed, count = lost.argmax(axis=-1), sound.sum(axis=1)
    length = np.array([len(word.letters) for word in right])
    steps = np.arange(spelling.STEPS)
    place = np.minimum((steps + 0.5) * length[:, None] / count[:, None], length[:, None] - 1).astype(int)
    found = [RIGHT_WORDS.of(len(right)), BY_PLACE.of(float((place == needed)[sound].mean()))]
    for block in BLOCKS:
        for head in HEADS:
            weights = _weights(looked, block, head)
            top = weights.argmax(axis=-1)
            ahead = [np.all(np.diff(row[:n]) >= 0) for row, n in zip(top, count, strict=True)]
            found += [
                AGREES.of(float((top == needed)[sound].mean()), block=block, head=head),
                IN_ORDER.of(float(np.mean(ahead)), block=block, head=head),
            ]
    last = _weights(looked, BLOCKS[-1], "mean")
    found += _silent_letters(np.where(sound[..., None], last, 0).max(axis=1), right)
    kept: dict[str, np.ndarray] = {}
    for index, word in enumerate(right):
        if word.letters in drawn:
            kept[f"alignment.{word.letters}"] = last[index, : count[index], : length[index]]
            kept[f"sounds.{word.letters}"] = pairs.targets[index, : count[index]]
    return found, kept


def _weights(looked: alignment.Looked, block: int, head: str) -> np.ndarray:
    weights = looked.weights[block - 1]
    return weights.mean(axis=1) if head == "mean" else weights[:, int(head[-1]) - 1]


def _silent_letters(peaks: np.ndarray, right: Sequence[Word]) -> Iterator[Measurement]:
    """How much the sound that looks most at a letter looks at it."""
    chosen: dict[str, list[float]] = {kind: [] for kind in LETTER_WORDS}
    for row, (letters, _) in zip(peaks, right, strict=True):
        chosen["all"] += row[: len(letters)].tolist()
        for kind, pattern in (("silent", SILENT), ("final_e", FINAL)):
            chosen[kind] += [
                float(row[each.start(each.lastindex or 0)]) for each in pattern.finditer(letters)
            ]
    for kind, values in chosen.items():
        yield LOOKED_AT.of(float(np.mean(values)), letters=kind)
        yield LETTER_COUNT.of(len(values), letters=kind)


def final_e(model: decoding.EncoderDecoder, right: Sequence[Word]) -> Iterator[Measurement]:
    """Words such as `skate`: what the vowel looks at, and what it needs."""
    words = [word for word in right if has_long_vowel_before_e(word)]
    pairs = spelling.pairs(words)
    last = np.array([len(word.letters) for word in words]) - 1
    step = np.array([len(word.pronunciations[0]) for word in words]) - 2  # the vowel, then a consonant
    at = np.arange(len(words))
    weights = alignment.look(model, *pairs).weights[-1].mean(axis=1)[at, step]
    memory = decoding.encode(model, pairs.letters)
    places = np.arange(spelling.LONGEST)

    def vowel(read: decoding.Memory) -> np.ndarray:
        logits, _ = decoding.whole(model, read, pairs.previous)
        return logits[at, step].argmax(axis=-1)

    before = vowel(memory)
    struck = decoding.encode(model, np.where(places == last[:, None], spelling.PADDING, pairs.letters))
    hidden = {
        what: memory._replace(real=memory.real & (places != place[:, None]))
        for what, place in (("changed_when_hidden", last), ("changed_when_vowel_hidden", last - 2))
    }
    at_vowel = (places == last[:, None] - 2)[..., None]
    transplanted = memory._replace(tokens=np.where(at_vowel, struck.tokens, memory.tokens))
    yield FINAL_E_COUNT.of(len(words))
    yield FINAL_E.of(float(weights[at, last].mean()), what="weight")
    yield FINAL_E.of(float(weights[at, last - 2].mean()), what="weight_on_vowel")
    yield FINAL_E.of(float((weights.argmax(axis=-1) == last).mean()), what="most_looked_at")
    for what, read in {"changed_without": struck, "changed_by_transplant": transplanted, **hidden}.items():
        yield FINAL_E.of(float((vowel(read) != before).mean()), what=what)


def has_long_vowel_before_e(word: Word) -> bool:
    """Whether it is spelt vowel, consonant, e, and said long vowel, consonant: `skate`, not `have`."""
    said = word.pronunciations[0]
    return bool(re.search("[aiou][^aeiouwxyr]e$", word.letters)) and len(said) >= 2 and said[-2] in LONG


def test_words(p: Mapping[str, Any]) -> tuple[spelling.Word, ...]:
    """The held-out words, in the order in which the runs were asked for them."""
    found = spelling.words(p["version"], p["sha256"])
    counts = {"test": p["test"], "validation": p["validation"], "training": 0}
    return spelling.split(found, p["split_seed"], **counts).test
