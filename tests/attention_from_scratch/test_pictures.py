"""Pictures show what the subject's functions compute, are whole without scripts, and name what they show."""

from __future__ import annotations

import lxml.html
import numpy as np
import pytest

from attention_from_scratch import forward, sentence
from attention_from_scratch.attention import attention
from attention_from_scratch.block import block
from attention_from_scratch.experiments import spelling_plan
from attention_from_scratch.heads import multi_head_attention
from attention_from_scratch.pictures import by_hand, dimensions, encoder_decoder, heads, order, stream, tiles
from attention_from_scratch.pictures.elements import number, squares
from attention_from_scratch.positions import shift, sinusoidal
from attention_from_scratch.tasks import match_then_read, spelling

QUERY = np.array([[4.0, 0.0], [3.0, 3.0]])
KEY = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]])
VALUE = np.array([[10.0, 0.0, 1.0], [0.0, 10.0, 1.0], [5.0, 5.0, -1.0]])


def tree(picture):
    return lxml.html.fromstring(f"<div>{picture._repr_html_()}</div>")


def shown(table) -> np.ndarray:
    return np.array(
        [
            [float(td.text_content().replace("−", "-")) for td in row.findall("td")]
            for row in table.find("tbody")
        ]
    )


def table_of(found, name):
    return next(t for t in found.iter("table") if t.find("caption").text_content().startswith(name))


def test_by_hand_shows_each_step_of_the_six_lines():
    found = tree(by_hand.picture(QUERY, KEY, VALUE))
    output, weights = attention(QUERY, KEY, VALUE)
    np.testing.assert_allclose(shown(table_of(found, "weights")), weights, atol=5.1e-4)
    np.testing.assert_allclose(shown(table_of(found, "output")), output, atol=5.1e-3)
    np.testing.assert_array_equal(shown(table_of(found, "products")), QUERY @ KEY.T)
    assert [step.get("data-at") for step in found.iter("li")] == list("123456")
    made = found.xpath("//td[@data-made]")
    assert [cell.get("data-made") for cell in made] == list("23456")
    for step in "23456":
        assert found.xpath(f"//td[@data-source='{step}']"), f"step {step} is made of nothing"


def test_a_cell_told_in_words_is_the_cell_of_the_grid():
    found = tree(by_hand.picture(QUERY, KEY, VALUE))
    for step in found.findall(".//li")[1:]:
        words = step.find_class("walk-words")[0].text_content()
        assert words.rstrip(".").endswith(step.xpath(".//td[@data-made]")[0].text_content())


def test_the_bars_of_the_scale_are_the_weights_of_the_dot_products():
    found = tree(dimensions.picture())
    rows = dimensions.products()
    assert rows.shape == (len(dimensions.WIDTHS), dimensions.KEYS)
    at = dimensions.WIDTHS.index(dimensions.START)
    for way in dimensions.WAYS:
        bars = found.find_class(f"is-{way}")[0].find_class("dimensions-bar")
        heights = np.array([float(bar.get("height")) for bar in bars])
        expected = dimensions.weights_of(rows[at], dimensions.START, way)
        np.testing.assert_allclose(heights / dimensions.HEIGHT, expected, atol=1e-3)
    np.testing.assert_allclose(shown(found.find(".//table")), rows.T, atol=0.051)


def test_the_mark_of_the_mean_is_what_the_experiment_measures():
    """The same distribution, drawn another way: whole vectors there, lengths here."""
    means = dimensions.means()
    generator = np.random.default_rng(1)
    for width in (4, 64):
        query, keys = generator.normal(size=(4_000, 1, width)), generator.normal(size=(4_000, 12, width))
        products = (query * keys).sum(axis=-1)
        for way in dimensions.WAYS:
            expected = dimensions.weights_of(products, width, way).max(axis=-1).mean()
            assert means[way][dimensions.WIDTHS.index(width)] == pytest.approx(expected, abs=0.015)
    divided = means["with"][1:]
    assert max(divided) - min(divided) < 0.03, "with the division the mean stays level"
    assert min(np.diff(means["without"])) > 0.02, "without it, it rises"


def test_ribbons_of_a_head_are_as_wide_as_its_weights_and_fill_one_base():
    found = tree(heads.picture())
    x = sentence.tokens(sentence.SENTENCE)
    output, weights = multi_head_attention(x, x, x, sentence.HEADS)
    for panel, head in zip(found.find_class("heads-panel"), weights, strict=True):
        for group in panel.xpath(".//*[@data-choice]"):
            i = sentence.SENTENCE.index(group.get("data-choice"))
            widths = [float(path.get("stroke-width")) for path in group.find_class("heads-ribbon")]
            expected = np.maximum(head[i] * heads.BASE, 0.7)
            np.testing.assert_allclose(widths, expected, atol=0.051)
    telling = [sentence.SENTENCE.index(word) for word in sentence.TELLING]
    np.testing.assert_allclose(shown(table_of(found, "output")), output[telling], atol=5.1e-3)
    joined, kernel = shown(table_of(found, "concat")), shown(table_of(found, "W_O"))
    np.testing.assert_allclose(joined @ kernel, output[telling], atol=0.02)
    assert weights[0][sentence.SENTENCE.index("it")].argmax() == sentence.SENTENCE.index("animal")
    assert weights[1][sentence.SENTENCE.index("it")].argmax() == sentence.SENTENCE.index("tired")


def test_the_first_head_is_the_one_of_the_first_screen():
    assert np.array_equal(sentence.HEADS.query_kernel[:, 0], sentence.QUERY_KERNEL)
    assert np.array_equal(sentence.HEADS.key_kernel[:, 0], sentence.KEY_KERNEL)
    assert np.array_equal(sentence.HEADS.value_kernel[:, 0], sentence.VALUE_KERNEL)


def test_shuffling_changes_what_a_word_takes_home_only_where_positions_are_added():
    in_order, *shuffled = order.orders()
    for other in shuffled:
        assert sorted(other.words) == sorted(in_order.words)
        np.testing.assert_allclose(other.plain, in_order.plain, rtol=1e-12)
        assert np.abs(other.placed - in_order.placed).max() > 0.1
    assert len({o.words for o in shuffled}) == order.SHUFFLES


def test_one_matrix_moves_every_place_by_its_offset():
    rows = sinusoidal(20, order.CHANNELS)
    for offset in order.OFFSETS:
        moved = rows[5:15] @ shift(offset, order.CHANNELS).T
        np.testing.assert_allclose(moved, rows[5 + offset : 15 + offset], atol=1e-12)
    assert min(order.FROM + offset for offset in order.OFFSETS) >= 0


def test_the_block_is_the_models_without_biases_and_gains():
    x = sentence.tokens(sentence.TELLING)
    ours = block(x, sentence.HEADS, sentence.HIDDEN_KERNEL, sentence.OUTPUT_KERNEL)
    weights = {"block1_hidden.kernel": sentence.HIDDEN_KERNEL, "block1_output.kernel": sentence.OUTPUT_KERNEL}
    weights |= {"block1_hidden.bias": np.zeros(4), "block1_output.bias": np.zeros(3)}
    for norm in ("block1_norm1", "block1_norm2"):
        weights |= {f"{norm}.gamma": np.ones(3), f"{norm}.beta": np.zeros(3)}
    for part, ours_part in (
        ("query", "query"),
        ("key", "key"),
        ("value", "value"),
        ("attention_output", "output"),
    ):
        weights[f"block1_attention.{part}.kernel"] = getattr(sentence.HEADS, f"{ours_part}_kernel")
        weights[f"block1_attention.{part}.bias"] = getattr(sentence.HEADS, f"{ours_part}_bias")
    trace = forward.Trace(np.empty(0), [], [], [])
    theirs = forward._block(weights, 1, x, x, np.ones((4, 4), bool), None, trace)
    np.testing.assert_allclose(ours, theirs, atol=1e-12)


def test_the_stream_ends_in_what_the_block_computes():
    x = sentence.tokens(sentence.SENTENCE)
    output = block(x, sentence.HEADS, sentence.HIDDEN_KERNEL, sentence.OUTPUT_KERNEL)
    i = sentence.SENTENCE.index(stream.WORD)
    np.testing.assert_allclose(stream.stages()[-1].row, output[i], atol=1e-12)
    assert {step.get("data-at") for step in tree(stream.picture()).iter("li")} == set("12345")


def test_tiles_match_the_first_cue_and_read_what_follows():
    drawn = match_then_read.draw(3, 12, np.random.default_rng(0))
    found = tree(tiles.picture(drawn)).find_class("tiles")
    assert len(found) == 3
    for picture, tokens, answer in zip(found, drawn.tokens, drawn.answers, strict=True):
        letters = [tile.findall("text")[0].text for tile in picture.find_class("tile")]
        assert letters == [tiles.letter_of(token) for token in tokens]
        assert letters[-1] == letters[letters.index("★")] == "★"
        read = picture.find_class("tiles-read-word")[0].text
        assert read == f"2 read: {letters[letters.index('★') + 1]}" == f"2 read: {tiles.letter_of(answer)}"


def test_encoder_and_decoder_show_what_each_token_may_look_at():
    drawn = tree(encoder_decoder.picture(2))
    allowed, blocked = (
        [path.get("d").count("M") for path in drawn.find_class(f"part-{kind}")]
        for kind in ("allowed", "blocked")
    )
    letters, given = len(encoder_decoder.WORD), len(encoder_decoder.GIVEN)
    assert allowed == [letters * letters, given * (given + 1) // 2, given * letters]
    assert blocked == [given * (given - 1) // 2]
    assert (encoder_decoder.GIVEN[1:], encoder_decoder.ASKED[:-1]) == (encoder_decoder.SOUNDS,) * 2
    words = drawn.find(".//svg").get("aria-label")
    assert all(
        part in words for part in ("queries from the decoder", "keys and values from the memory", "k n i")
    )


def test_the_word_of_the_drawing_is_said_as_the_dictionary_says_it():
    words = spelling.words(spelling_plan.DICTIONARY["version"], spelling_plan.DICTIONARY["sha256"])
    found = next(word for word in words if word.letters == encoder_decoder.WORD)
    assert encoder_decoder.SOUNDS in found.pronunciations


@pytest.mark.parametrize(
    ("value", "text"), [(1.0, "1"), (-0.004, "0.00"), (-1.5, "−1.50"), (0.125, "0.12"), (-0.0, "0")]
)
def test_numbers_read_as_people_write_them(value, text):
    assert number(value) == text


def test_squares_are_as_large_as_their_numbers_and_hollow_where_negative():
    filled, hollow = squares(np.array([[1.0, 0.25, 0.0, -1.0]]), 0, 0, 11.5)
    assert filled.get("class") == "square-positive"
    assert hollow.get("class") == "square-negative"
    sides = [float(part.split("v")[0]) for part in filled.get("d").split("h")[1:] if "v" in part]
    assert sides == [10.0, 5.0]
    assert hollow.get("d").count("M") == 1


def test_no_picture_holds_a_style_that_the_pages_policy_forbids():
    pictures = [by_hand.picture(QUERY, KEY, VALUE), dimensions.picture(), heads.picture(), order.positions()]
    pictures += [
        order.shifts(),
        stream.picture(),
        encoder_decoder.picture(2),
        tiles.picture(match_then_read.draw(1, 6, np.random.default_rng(0))),
    ]
    for picture in pictures:
        found = tree(picture)
        assert not found.xpath("//@style")
        for drawing in found.iter("svg"):
            assert drawing.get("aria-label")
