"""What a cache of keys and values saves and costs, counted for the decoder of the page's speller.

Nothing is trained or timed: multiply-adds of matrix products, and bytes of float32 numbers, for a decoder
that writes so many tokens after it has read a word of ten letters.
"""

from __future__ import annotations

from typing import Any

from attention_from_scratch import decoding
from attention_from_scratch.experiments import spelling_plan as plan
from attention_from_scratch.experiments.policies import COUNT
from attention_from_scratch.tasks import spelling
from measured.terms.claims import Claim, Verdict, every, rises
from measured.terms.experiment import Experiment, Findings
from measured.terms.family import Family, rows, table

SIZE = plan.MODELS["transformer"]
PARAMETERS: dict[str, Any] = {
    "lengths": [spelling.STEPS, 100, 1_000],
    "letters": spelling.LONGEST,
    "key_value_heads": [4, 2, 1],
}
WAYS = {"kept": True, "anew": False}
WAY_WORDS = {"kept": "with a cache", "anew": "each step anew"}
HEAD_WORDS = {4: "a head of keys for each of queries", 2: "grouped, two heads", 1: "multi-query, one head"}

MULTIPLY_ADDS = Family(
    "transformer.cache.multiply_adds.{way}.n{n}",
    "multiply-adds of the speller's decoder for {n} tokens, {way}",
    COUNT,
    ",d",
    labels={"way": WAY_WORDS},
)
LAST_STEP = Family(
    "transformer.cache.last_step.{way}.n{n}",
    "multiply-adds of the step that writes token {n}, {way}",
    COUNT,
    ",d",
    labels={"way": WAY_WORDS},
)
BYTES = Family(
    "transformer.cache.bytes.heads{heads}.n{n}",
    "bytes of keys and values of {n} tokens in all blocks, {heads} heads of keys",
    COUNT,
    ",d",
)
OF_LETTERS = Family(
    "transformer.cache.bytes_of_letters",
    "bytes of keys and values of {letters} letters in all blocks",
    COUNT,
    ",d",
)


def measure(lengths: list[int], letters: int, key_value_heads: list[int]) -> Findings:
    """Count for each length, with and without a cache, and for fewer heads of keys."""
    found = [OF_LETTERS.of(counted(0, letters).bytes_kept, letters=letters)]
    for n in lengths:
        for way, cached in WAYS.items():
            whole, before = (counted(steps, letters, cached=cached).multiply_adds for steps in (n, n - 1))
            found += [MULTIPLY_ADDS.of(whole, way=way, n=n), LAST_STEP.of(whole - before, way=way, n=n)]
        for heads in key_value_heads:
            kept = counted(n, letters, key_value_heads=heads).bytes_kept - counted(0, letters).bytes_kept
            found.append(BYTES.of(kept, heads=heads, n=n))
    lines = rows("n", lengths, ",d")
    costs = {
        f"multiply-adds {words}, {what}": family.at(way=way)
        for family, what in ((MULTIPLY_ADDS, "in all"), (LAST_STEP, "last token"))
        for way, words in WAY_WORDS.items()
    }
    kept = {HEAD_WORDS[heads]: BYTES.at(heads=heads) for heads in key_value_heads}
    return Findings(
        tuple(found),
        tables=(
            table("cache.costs", "tokens written", lines, costs),
            table("cache.bytes", "bytes kept, by tokens written", lines, kept),
        ),
    )


def counted(steps: int, letters: int, **more: Any) -> decoding.StepCost:
    """The cost of the speller's decoder."""
    size = {name: SIZE[name] for name in ("num_heads", "feed_forward", "blocks")}
    return decoding.cost(
        steps, letters, d_model=SIZE["width"], target_tokens=spelling.SOUND_TOKENS, **size, **more
    )


def _saves_more(found: Findings) -> Verdict:
    saved = {
        str(n): MULTIPLY_ADDS.value(found, way="anew", n=n) / MULTIPLY_ADDS.value(found, way="kept", n=n)
        for n in PARAMETERS["lengths"]
    }
    return every(rises(saved))


EXPERIMENT = Experiment(
    name="cache",
    question="What does a cache of keys and values save, and what does it hold?",
    measure=measure,
    parameters=PARAMETERS,
    prefixes=("transformer",),
    claims=(
        Claim(
            "transformer.cache_saves_more",
            "the longer the text, the larger the factor that a cache saves",
            _saves_more,
            exempt="arithmetic: counted, not measured",
        ),
    ),
)
